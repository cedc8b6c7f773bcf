// Shape and role rules of the remaining ops, and what they refuse.
#include "tenon/op/text_support.h"

namespace tenon::op {
namespace {

TEST(Shapes, MatMul) {
  expect_types({"f32[1,1,T:token,64:channel]", "q4_0[40,64]"},
               "%y = MatMul(%p0:0, %p1:0) {transpose_b=true} : f32[1,1,T:token,40:channel]");
  expect_types({"f32[T:token,6:channel]", "f16[8:expert,6]"},
               "%y = MatMul(%p0:0, %p1:0) {transpose_b=true} : f32[T:token,8:expert]");
  expect_types({"f16[2:batch,6:head,T:token,4:head_size]", "f16[2:batch,1,KV:position,4:head_size]"},
               "%y = MatMul(%p0:0, %p1:0) {transpose_b=true} : f32[2:batch,6:head,T:token,KV:position]");
  expect_types({"f32[6:head,T:token,KV:position]", "f16[6:head,KV:position,5:head_size]"},
               "%y = MatMul(%p0:0, %p1:0) : f32[6:head,T:token,5:head_size]");
  expect_error({"f32[3,64]", "f32[64,40]"}, "%y = MatMul(%p0:0, %p1:0) {transpose_b=true}",
               {"one extent K", "64 of f32[3,64]", "40 of f32[64,40]"});
  expect_error({"f32[3,64]", "q8_0[64,32]"}, "%y = MatMul(%p0:0, %p1:0)", {"blocks along K", "q8_0"});
  expect_error({"q8_0[3,64]", "q8_0[5,64]"}, "%y = MatMul(%p0:0, %p1:0) {transpose_b=true}", {"input 0"});
  expect_error({"f32[3,64]", "i32[5,64]"}, "%y = MatMul(%p0:0, %p1:0) {transpose_b=true}", {"input 1"});
  expect_error({"f32[64]", "f32[5,64]"}, "%y = MatMul(%p0:0, %p1:0) {transpose_b=true}", {"rank 2"});
}

TEST(Shapes, NormsAndReductions) {
  expect_types({"f32[T:token,6:channel]", "f32[6]"}, "%y = RMSNorm(%p0:0, %p1:0) : f32[T:token,6:channel]");
  expect_types({"f32[T:token,6:channel]"}, "%y = ReduceMean(%p0:0) {axes=[-1]} : f32[T:token,1]");
  expect_types({"f32[T:token,3:head,6]"},
               "%y = ReduceMean(%p0:0) {axes=[1,2], keep_dims=false} : f32[T:token]");
  expect_types({"f32[T:token,6:channel]"}, "%y = Softmax(%p0:0) {axis=0} : f32[T:token,6:channel]");
  expect_error({"f32[T,6]", "f32[5]"}, "%y = RMSNorm(%p0:0, %p1:0)", {"f32[6]", "f32[5]"});
  expect_error({"f16[T,6]"}, "%y = RMSNorm(%p0:0)", {"f32", "f16[T,6]"});
  expect_error({"f32[T,6]"}, "%y = ReduceMean(%p0:0) {axes=[1,-1]}", {"different axes", "1 twice"});
  expect_error({"f32[T,6]"}, "%y = Softmax(%p0:0) {axis=2}", {"rank 2", "found 2"});
}

TEST(Shapes, GatherCarriesTheIndicesRoles) {
  expect_types({"q4_k[100,256]", "i32[1,T:token]"}, "%y = Gather(%p0:0, %p1:0) : f32[1,T:token,256:channel]");
  expect_types({"f32[1,L:token,6:channel]", "i32[1,R:token]"},
               "%y = Gather(%p0:0, %p1:0) {axis=1, batch_dims=1} : f32[1,R:token,6:channel]");
  expect_types({"i64[4]", "i64[2]"}, "%y = Gather(%p0:0, %p1:0) : i64[2]");
  expect_types({"f16[5:batch,KV:position,2:head]", "i32[B:batch]"},
               "%y = Gather(%p0:0, %p1:0) : f16[B:batch,KV:position,2:head]");
  expect_error({"q4_0[9,32]", "i32[3]"}, "%y = Gather(%p0:0, %p1:0) {axis=1}", {"blocks", "q4_0[9,32]"});
  expect_error({"f32[2,9]", "i32[3,4]"}, "%y = Gather(%p0:0, %p1:0) {axis=1, batch_dims=1}",
               {"batch", "[3,4]"});
  expect_error({"f32[2,9]", "i32[3]"}, "%y = Gather(%p0:0, %p1:0) {axis=0, batch_dims=1}", {"batch_dims"});
  expect_error({"f32[2,3,4]", "i32[5,6,7,8]"}, "%y = Gather(%p0:0, %p1:0)", {"at most 5 axes"});
}

TEST(Shapes, CacheWrites) {
  const std::string cache = "f16[1,C:position,2:head,4:head_size]";
  expect_types({cache, "i64[1,1,1,T:token]", "f16[1,T:token,2:head,4:head_size]"},
               "%y = ScatterUpdate(%p0:0, %p1:0, %p2:0) {axis=1} : " + cache);
  expect_types({"f16[1,T:token,2:head,4:head_size]", "i64[1,1,1,T:token]", cache},
               "%y = SetRows(%p0:0, %p1:0, %p2:0) : " + cache);
  expect_types({"f16[1,1,T:token,8:channel]", "i64[T:token]", cache},
               "%y = SetRows(%p0:0, %p1:0, %p2:0) : " + cache);
  expect_error({cache, "i64[3]", "f16[1,T,2,4]"}, "%y = ScatterUpdate(%p0:0, %p1:0, %p2:0) {axis=1}",
               {"3 on axis 1", "f16[1,T,2,4]"});
  expect_error({cache, "i64[T]", "f32[1,T,2,4]"}, "%y = ScatterUpdate(%p0:0, %p1:0, %p2:0) {axis=1}",
               {"f32"});
  expect_error({"f32[1,T,2,4]", "i64[T]", cache}, "%y = SetRows(%p0:0, %p1:0, %p2:0)", {"one element type"});
  expect_error({"f16[1,T,2,5]", "i64[T]", cache}, "%y = SetRows(%p0:0, %p1:0, %p2:0)",
               {"8*T elements", "[1,T,2,5]"});
}

TEST(Shapes, ConcatAndSplit) {
  expect_types({"f16[2,P:position,3:head]", "f16[2:batch,T:token,3]"},
               "%y = Concat(%p0:0, %p1:0) {axis=1} : f16[2:batch,P+T:position,3:head]");
  expect_error({"f32[2,3]", "f32[2,4]"}, "%y = Concat(%p0:0, %p1:0) {axis=0}", {"beside axis 0", "f32[2,4]"});
  expect_error({"f32[2,3]", "f32[2]"}, "%y = Concat(%p0:0, %p1:0) {axis=0}", {"rank 2"});
  const std::string size =
      "  %n = Parameter() {name=\"n\", type=i64[1], value_symbol=\"A\"}\n"
      "  %rest = Constant() {type=i64[1], values=[-1]}\n"
      "  %lengths = Concat(%n:0, %rest:0) : i64[2]\n";
  expect_types({"f16[1,C:position,2:head]"}, size +
                                                 "%y = VariadicSplit(%p0:0, %lengths:0) {axis=1} : "
                                                 "f16[1,A:position,2:head], f16[1,-A+C:position,2:head]");
  const auto split = [](const std::string& lengths, int count) {
    return "  %l = Constant() {type=i64[" + std::to_string(count) + "], values=" + lengths + "}\n" +
           "%y = VariadicSplit(%p0:0, %l:0) {axis=-1}";
  };
  expect_types(
      {"f32[T:token,12:channel]"},
      split("[8,-1,2]", 3) + " : f32[T:token,8:channel], f32[T:token,2:channel], f32[T:token,2:channel]");
  expect_error({"f32[T,12]"}, split("[8,5]", 2), {"add up to 12", "13"});
  expect_error({"f32[T,12]"}, split("[-1,-1]", 2), {"-1 at most"});
  expect_error({"f32[T,12]"}, split("[13,-1]", 2), {"within 12", "-1"});
  expect_error({"f32[T,12]", "i64[2]"}, "%y = VariadicSplit(%p0:0, %p1:0)", {"known at conversion"});
}

TEST(Shapes, TopK) {
  const auto topk = [](const std::string& k, const std::string& attributes) {
    return "  %k = Constant() {type=i64[], values=[" + k + "]}\n%y = TopK(%p0:0, %k:0) {" + attributes + "}";
  };
  expect_types(
      {"f32[1,1,T:token,8:channel]"},
      topk("3", "axis=3, index_type=i64") + " : f32[1,1,T:token,3:channel], i64[1,1,T:token,3:channel]");
  expect_types({"f32[T:token,N:expert]"},
               "  %n = Parameter() {name=\"n\", type=i64[], value_symbol=\"K\"}\n"
               "%y = TopK(%p0:0, %n:0) {mode=min} : f32[T:token,K:expert], i32[T:token,K:expert]");
  expect_error({"f32[T,8]"}, topk("9", "axis=1"), {"[0, 8]", "k = 9"});
  expect_error({"f32[T,8]"}, topk("3", "index_type=f32"), {"i32 or i64", "f32"});
  expect_error({"f32[T,8]", "i64[]"}, "%y = TopK(%p0:0, %p1:0)", {"known at conversion"});
  expect_error({"f32[T,8]", "i64[1]"}, "%y = TopK(%p0:0, %p1:0)", {"rank 0"});
}

TEST(Shapes, MovesOfAxes) {
  const std::string order = "  %o = Constant() {type=i64[4], values=[0,2,1,3]}\n";
  expect_types({"f32[1,T:token,3:head,4:head_size]"},
               order + "%y = Transpose(%p0:0, %o:0) : f32[1,3:head,T:token,4:head_size]");
  expect_types({"f32[T:token,6:channel]"},
               "%y = Unsqueeze(%p0:0) {axes=[0,-1]} : f32[1,T:token,6:channel,1]");
  expect_types({"f32[1,T:token,1,6:channel]"}, "%y = Squeeze(%p0:0) {axes=[2,0]} : f32[T:token,6:channel]");
  expect_types({"f32[2,3:head,1,KV:position]"},
               "%y = Broadcast(%p0:0) {target=[1,4,1]} : f32[2,3:head,4,KV:position]");
  expect_types({"f32[5,T]"}, "%y = ShapeOf(%p0:0) : i64[2]");
  expect_types({"q6_k[5:channel,256]"}, "%y = Convert(%p0:0) {to=f16} : f16[5:channel,256]");
  expect_error({"f32[1,T,3]"}, order + "%y = Transpose(%p0:0, %o:0)", {"order of 3", "i64[4]"});
  expect_error({"f32[2,3]"}, "  %o = Constant() {type=i64[2], values=[0,0]}\n%y = Transpose(%p0:0, %o:0)",
               {"permutation", "axis 0"});
  expect_error({"f32[2,3]", "i64[2]"}, "%y = Transpose(%p0:0, %p1:0)", {"constant order"});
  expect_error({"f32[2,3]"}, "%y = Unsqueeze(%p0:0) {axes=[4]}", {"rank 3", "4"});
  expect_error({"f32[2,3,4,5,6]"}, "%y = Unsqueeze(%p0:0) {axes=[0]}", {"at most 5 axes"});
  expect_error({"f32[T,3]"}, "%y = Squeeze(%p0:0) {axes=[0]}", {"extent 1 on axis 0", "f32[T,3]"});
  expect_error({"f32[2,3]"}, "%y = Broadcast(%p0:0) {target=[4]}", {"[2,3] and [4]"});
  expect_error({"f32[3]"}, "%y = Convert(%p0:0) {to=q8_0}", {"plain type", "q8_0"});
}

TEST(Shapes, Rope) {
  const std::string x = "f32[1,T:token,3:head,8:head_size]";
  expect_types({x, "i32[1,1,1,T:token]"}, "%y = Rope(%p0:0, %p1:0) {n_rot=6} : " + x);
  expect_types(
      {"f16[B:batch,T:token,3:head,8:head_size]", "i64[B:batch,1,1,T:token]", "f32[4]"},
      "%y = Rope(%p0:0, %p1:0, %p2:0) {mode=neox, n_rot=8} : f16[B:batch,T:token,3:head,8:head_size]");
  expect_error({x, "i32[T]"}, "%y = Rope(%p0:0, %p1:0) {n_rot=7}", {"even n_rot in [2, 8]", "7"});
  expect_error({x, "i32[T]"}, "%y = Rope(%p0:0, %p1:0) {n_rot=10}", {"[2, 8]", "10"});
  expect_error({x, "i32[KV]"}, "%y = Rope(%p0:0, %p1:0) {n_rot=8}", {"position for each token", "i32[KV]"});
  expect_error({x, "i32[T]", "f32[8]"}, "%y = Rope(%p0:0, %p1:0, %p2:0) {n_rot=8}", {"f32[4]", "f32[8]"});
  expect_error({"f32[T,3,8]", "i32[T]"}, "%y = Rope(%p0:0, %p1:0) {n_rot=8}", {"rank 4"});
  expect_error({"f32[1,T,3,D]", "i32[T]"}, "%y = Rope(%p0:0, %p1:0) {n_rot=8}", {"static extent on axis 3"});
}

TEST(Shapes, Attention) {
  const std::string q = "f32[2:batch,6:head,T:token,8:head_size]";
  const std::string k = "f16[2:batch,3:head,KV:position,8:head_size]";
  const std::string v = "f16[2:batch,3:head,KV:position,5:head_size]";
  const std::string out = " : f32[2:batch,T:token,6:head,5:head_size]";
  const std::string mask = "f16[1,1,T:token,KV:position]";
  expect_types({q, k, v}, "%y = Attention(%p0:0, %p1:0, %p2:0) {mask=bidirectional}" + out);
  expect_types({q, k, v, mask}, "%y = Attention(%p0:0, %p1:0, %p2:0, %p3:0)" + out);
  const std::string all = "%y = Attention(%p0:0, %p1:0, %p2:0, %p3:0, %p4:0) ";
  expect_types({q, k, v, mask, "i32[1,1,1,T:token]"}, all + "{scale=0.5, mask=window, window=4}" + out);
  expect_error({q, k, v}, "%y = Attention(%p0:0, %p1:0, %p2:0)", {"mask input", "explicit"});
  expect_error({q, k, v, mask}, "%y = Attention(%p0:0, %p1:0, %p2:0, %p3:0) {mask=causal}",
               {"positions", "causal"});
  expect_error({q, k, v, mask, "i32[T]"}, all + "{mask=window}", {"window of at least 1", "0"});
  expect_error({q, k, v, mask, "i32[KV]"}, all + "{mask=causal}", {"position for each query", "i32[KV]"});
  expect_error({q, k, v, "f32[T,KV,1]"}, "%y = Attention(%p0:0, %p1:0, %p2:0, %p3:0)",
               {"[2,6,T,KV]", "f32[T,KV,1]"});
  const auto refuse = [](const std::string& q1, const std::string& k1, const std::string& v1,
                         const std::vector<std::string>& parts) {
    expect_error({q1, k1, v1}, "%y = Attention(%p0:0, %p1:0, %p2:0) {mask=bidirectional}", parts);
  };
  refuse("f32[2,7,T,8]", k, v, {"multiple of 3", "7"});
  refuse("f32[2,H,T,8]", k, v, {"static extent on axis 1"});
  refuse("f32[6,T,8]", k, v, {"rank 4"});
  refuse("f32[2,6,T,9]", k, v, {"head size"});
  refuse(q, k, "f16[2,3,T,5]", {"k and v of one batch, heads and length"});
  refuse(q, k, "bf16[2,3,KV,5]", {"f32 or f16", "input 2"});
}

TEST(Shapes, IndexInputsTakeIntegers) {
  const Result<ir::Model> model =
      ir::parse(with_parameters({"f32[9,4]", "f32[3]"}, "%y = Gather(%p0:0, %p1:0)"), all_schemas());
  ASSERT_TRUE(model.ok());
  const Status status = ir::verify(*model, ir::Stage::kConverted);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message().find("'indices'"), std::string::npos);
}

}  // namespace
}  // namespace tenon::op
