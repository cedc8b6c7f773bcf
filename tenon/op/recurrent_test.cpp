// Shape and role rules of the ops with a state; their numbers are held against ggml by tests/conform.
#include "tenon/op/text_support.h"

namespace tenon::op {
namespace {

TEST(Recurrent, ConvolutionGivesAnOutputForEachNewInput) {
  expect_types({"f32[1,1,37:channel,T+3:position]", "f32[37:channel,4]"},
               "%y = SsmConv(%p0:0, %p1:0) : f32[1,1,T:token,37:channel]");
  expect_types({"f32[1,2:batch,37:channel,8:position]", "f32[37,4]"},
               "%y = SsmConv(%p0:0, %p1:0) : f32[1,2:batch,5:token,37:channel]");
  expect_error({"f32[1,1,37,T+3]", "f32[36,4]"}, "%y = SsmConv(%p0:0, %p1:0)", {"37 channels", "f32[36,4]"});
  expect_error({"f32[1,1,37,2]", "f32[37,4]"}, "%y = SsmConv(%p0:0, %p1:0)", {"at least 3 inputs"});
  expect_error({"f16[1,1,37,8]", "f32[37,4]"}, "%y = SsmConv(%p0:0, %p1:0)", {"f32 at input 0"});
}

const std::vector<std::string> kScan = {"f32[1,6:head,16:head_size,24:channel]",
                                        "f32[1,T:token,6:head,16:head_size]",
                                        "f32[1,1,T:token,6:head]",
                                        "f32[6:head,1]",
                                        "f32[1,T:token,2:head,24:channel]",
                                        "f32[1,T:token,2:head,24:channel]"};
const std::string kScanNode = "%y = SsmScan(%p0:0, %p1:0, %p2:0, %p3:0, %p4:0, %p5:0)";

std::vector<std::string> with(std::vector<std::string> types, size_t input, std::string type) {
  types.at(input) = std::move(type);
  return types;
}

TEST(Recurrent, ScanGivesOutputsAndTheNextState) {
  expect_types(kScan, kScanNode + " : f32[1,T:token,6:head,16:head_size], " + kScan[0]);
  expect_types(with(kScan, 3, "f32[6,24]"), kScanNode + " : f32[1,T:token,6:head,16:head_size], " + kScan[0]);
  expect_error(with(kScan, 0, "f32[1,6,16,23]"), kScanNode, {"f32[1,T,2,23] at input 4"});
  expect_error(with(kScan, 2, "f32[1,1,T,5]"), kScanNode, {"f32[1,1,T,6] at input 2"});
  expect_error(with(kScan, 3, "f32[6,23]"), kScanNode, {"f32[6,24] at input 3"});
  expect_error(with(kScan, 4, "f32[1,T,4,24]"), kScanNode, {"multiple of the 4 groups"});
  expect_error(with(kScan, 5, "f32[1,T,3,24]"), kScanNode, {"f32[1,T,2,24] at input 5"});
}

const std::vector<std::string> kNet = {"f32[1,T:token,2:head,16:head_size]",
                                       "f32[1,T:token,2:head,16:head_size]",
                                       "f32[1,T:token,6:head,16:head_size]",
                                       "f32[1,T:token,6:head,1]",
                                       "f32[1,T:token,6:head,1]",
                                       "f32[1,6:head,16:head_size,16:channel]"};
const std::string kNetNode = "%y = GatedDeltaNet(%p0:0, %p1:0, %p2:0, %p3:0, %p4:0, %p5:0)";

TEST(Recurrent, DeltaNetGivesOutputsAndTheNextState) {
  expect_types(kNet, kNetNode + " : f32[1,T:token,6:head,16:head_size], " + kNet[5]);
  expect_types(with(kNet, 3, "f32[1,T,6,16]"),
               kNetNode + " : f32[1,T:token,6:head,16:head_size], " + kNet[5]);
  expect_error(with(kNet, 0, "f32[1,T,4,16]"), kNetNode, {"multiple of the 4 of q and k"});
  expect_error(with(kNet, 1, "f32[1,T,2,15]"), kNetNode, {"f32[1,T,2,16] at input 1"});
  expect_error(with(kNet, 3, "f32[1,T,6,2]"), kNetNode, {"f32[1,T,6,16] at input 3"});
  expect_error(with(kNet, 5, "f32[1,6,16,15]"), kNetNode, {"f32[1,6,16,16] at input 5"});
}

TEST(Recurrent, InterleavedRopeWantsFourComponents) {
  const std::string x = "f32[1,T:token,3:head,24:head_size]";
  const std::string rope = "%y = Rope(%p0:0, %p1:0) {mode=imrope, n_rot=16, sections=[3,3,2,0]}";
  expect_types({x, "i32[1,1,1,4*T:token]"}, rope + " : " + x);
  expect_error({x, "i32[1,1,1,T]"}, rope, {"four components", "i32[1,1,1,T]"});
  expect_error({x, "i32[4*T]"}, "%y = Rope(%p0:0, %p1:0) {mode=imrope, n_rot=16}", {"four sections"});
}

}  // namespace
}  // namespace tenon::op
