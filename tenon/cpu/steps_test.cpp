// From the plan's steps to kernel jobs: every row of the target on every instruction set against the
// references.
#include "tenon/cpu/steps.h"

#include "tenon/cpu/steps_test_support.h"

namespace tenon::cpu {
namespace {

class Steps : public StepsOnEachIsa {};
TENON_EACH_ISA(Steps);

// Nine segments: more than one job takes.
TEST_P(Steps, ProductsOfOneInputAreOneStepOfManyParts) {
  std::string body = R"(
    %x = Parameter() {name="x", type=f32[1,1,T:token,64]}
    %b = Constant() {type=f32[24], weight="b"}
  )";
  for (int i = 0; i < 9; ++i) {
    const std::string n = std::to_string(i);
    body += "%w" + n + " = Constant() {type=f32[24,64], weight=\"w" + n + "\"}\n";
    body += "%p" + n + " = MatMul(%x:0, %w" + n + ":0) {transpose_b=true}\n";
    if (i % 2 == 1) body += "%s" + n + " = Add(%p" + n + ":0, %b:0)\n";
    body += "%r" + n + " = Result(%" + (i % 2 == 1 ? "s" : "p") + n + ":0) {name=\"r" + n + "\"}\n";
  }
  expect_agreement(body, {"matmul"}, 2e-5);
}

TEST_P(Steps, ProductsTakeBiasAndResidual) {
  expect_agreement(R"(
    %x = Parameter() {name="x", type=f32[1,1,T:token,32]}
    %y = Parameter() {name="y", type=f32[1,1,T:token,16]}
    %w = Constant() {type=f32[16,32], weight="w"}
    %v = Constant() {type=f16[16,32], weight="v"}
    %b = Constant() {type=f32[16], weight="b"}
    %p = MatMul(%x:0, %w:0) {transpose_b=true}
    %s = Add(%p:0, %b:0)
    %t = Add(%y:0, %s:0)
    %q = MatMul(%x:0, %v:0) {transpose_b=true}
    %u = Add(%t:0, %q:0)
    %r = Result(%u:0) {name="out"})",
                   {"matmul_bias_residual", "matmul_residual"}, 2e-5);
}

TEST_P(Steps, GateAndUpAreOneStep) {
  expect_agreement(R"(
    %x = Parameter() {name="x", type=f32[1,1,T:token,32]}
    %g = Constant() {type=f32[48,32], weight="g"}
    %u = Constant() {type=f32[48,32], weight="u"}
    %a = MatMul(%x:0, %g:0) {transpose_b=true}
    %c = MatMul(%x:0, %u:0) {transpose_b=true}
    %s = SwiGLU(%a:0, %c:0)
    %r = Result(%s:0) {name="out"})",
                   {"matmul_swiglu"}, 5e-5);
}

TEST_P(Steps, RowsAreNormalisedScaledAndSummed) {
  expect_agreement(R"(
    %x = Parameter() {name="x", type=f32[1,1,T:token,40]}
    %y = Parameter() {name="y", type=f32[1,1,T:token,40]}
    %w = Constant() {type=f32[40], weight="w"}
    %one = Constant() {type=f32[1], weight="one"}
    %n = RMSNorm(%x:0)
    %m = Multiply(%n:0, %w:0)
    %plain = RMSNorm(%y:0) {epsilon=0.01}
    %sum = Add(%m:0, %plain:0)
    %scaled = Multiply(%sum:0, %one:0)
    %gated = SwiGLU(%scaled:0, %y:0)
    %other = GeGLU(%gated:0, %m:0)
    %bent = Gelu(%other:0)
    %capped = Tanh(%bent:0)
    %r = Result(%capped:0) {name="out"})",
                   {"rms_norm", "rms_norm", "add", "multiply", "swiglu", "geglu", "gelu", "tanh"});
}

// A view that leaves gaps between rows: the first 24 of 40 elements.
TEST_P(Steps, RowsMayLieApart) {
  expect_agreement(R"(
    %x = Parameter() {name="x", type=f32[1,1,T:token,40]}
    %y = Parameter() {name="y", type=f32[1,1,T:token,24]}
    %w = Constant() {type=f32[16,24], weight="w"}
    %lengths = Constant() {type=i64[2], values=[24,16]}
    %parts = VariadicSplit(%x:0, %lengths:0) {axis=-1}
    %n = RMSNorm(%parts:0)
    %sum = Add(%parts:0, %y:0)
    %p = MatMul(%parts:0, %w:0) {transpose_b=true}
    %h = Convert(%parts:1) {to=f16}
    %a = Result(%n:0) {name="n"}
    %b = Result(%sum:0) {name="sum"}
    %c = Result(%p:0) {name="p"}
    %d = Result(%h:0) {name="h"})",
                   {"rms_norm", "add", "matmul", "convert"}, 2e-5);
}

TEST_P(Steps, TableRowsAreLookedUp) {
  expect_agreement(R"(
    %ids = Parameter() {name="ids", type=i32[1,T:token]}
    %table = Constant() {type=q8_0[11,64], weight="table"}
    %plain = Constant() {type=f16[11,48], weight="plain"}
    %rows = Gather(%table:0, %ids:0)
    %halves = Gather(%plain:0, %ids:0)
    %wide = Convert(%halves:0) {to=f32}
    %a = Result(%rows:0) {name="rows"}
    %b = Result(%wide:0) {name="wide"})",
                   {"gather_rows", "gather_rows"});
}

// A transposed view: the heads of a token lie between those of the next.
TEST_P(Steps, HeadsAreConvertedAsTheyLie) {
  expect_agreement(R"(
    %q = Parameter() {name="q", type=f32[1,T:token,4:head,16:head_size]}
    %order = Constant() {type=i64[4], values=[0,2,1,3]}
    %heads = Transpose(%q:0, %order:0)
    %half = Convert(%heads:0) {to=f16}
    %r = Result(%half:0) {name="half"})",
                   {"convert"}, 0);
}

TEST_P(Steps, HeadsAreRotatedWithOneTable) {
  for (const char* const mode : {"normal", "neox"}) {
    expect_agreement(std::string(R"(
      %q = Parameter() {name="q", type=f32[1,T:token,4:head,16:head_size]}
      %k = Parameter() {name="k", type=f32[1,T:token,2:head,16:head_size]}
      %positions = Parameter() {name="positions", type=i32[1,1,1,T:token], role=positions}
      %factors = Constant() {type=f32[6], weight="factors"}
      %a = Rope(%q:0, %positions:0, %factors:0) {n_rot=12, mode=)") +
                         mode + R"(}
      %b = Rope(%k:0, %positions:0, %factors:0) {n_rot=12, mode=)" +
                         mode + R"(}
      %ra = Result(%a:0) {name="a"}
      %rb = Result(%b:0) {name="b"})",
                     {"rope_table", "rope", "rope"}, 2e-5);
  }
}

std::string attention(const std::string& element, const std::string& attributes) {
  return R"(
    %q = Parameter() {name="q", type=f32[1,T:token,4:head,16:head_size]}
    %k = Parameter() {name="k", type=)" +
         element + R"([1,KV:position,2:head,16:head_size]}
    %v = Parameter() {name="v", type=)" +
         element + R"([1,KV:position,2:head,16:head_size]}
    %mask = Parameter() {name="mask", type=f32[1,1,T:token,KV:position]}
    %positions = Parameter() {name="positions", type=i32[1,1,1,T:token], role=positions}
    %order = Constant() {type=i64[4], values=[0,2,1,3]}
    %qh = Transpose(%q:0, %order:0)
    %kh = Transpose(%k:0, %order:0)
    %vh = Transpose(%v:0, %order:0)
    %seen = Attention(%qh:0, %kh:0, %vh:0, %mask:0, %positions:0) {)" +
         attributes + R"(}
    %r = Result(%seen:0) {name="out"})";
}

TEST_P(Steps, AttentionTakesEveryMask) {
  for (const char* const mask :
       {"mask=causal", "mask=window, window=6", "mask=bidirectional", "mask=explicit"}) {
    SCOPED_TRACE(mask);
    expect_agreement(attention("f32", std::string("scale=0.25, ") + mask), {"attention"}, 2e-5);
    expect_agreement(attention("f16", std::string("scale=0.25, ") + mask), {"attention"}, 2e-3);
  }
}

TEST_P(Steps, CachesAreWrittenInPlaceOrCopied) {
  for (const char* const element : {"f16", "f32"}) {
    const std::string rows = std::string(R"(
      %rows = Parameter() {name="rows", type=f32[1,T:token,2:head,16:head_size]}
      %index = Parameter() {name="index", type=i64[1,1,1,T:token], role=cache_index}
      %size = Parameter() {name="size", type=i64[1], role=attention_size, value_symbol="KV"}
      %half = Convert(%rows:0) {to=)") +
                             element + R"(}
      %written = ScatterUpdate(%cache:0, %index:0, %half:0) {axis=1}
      %c = Result(%written:0) {name="cache"}
    )";
    const auto cache = [&](const char* extent) {
      return std::string("%cache = Parameter() {name=\"cache\", role=cache, type=") + element + "[1," +
             extent + ":position,2:head,16:head_size]}\n";
    };
    expect_agreement(cache("KV") + rows, {"scatter_rows"}, 0);
    expect_agreement(cache("32") + rows + R"(
      %rest = Constant() {type=i64[1], values=[-1]}
      %lengths = Concat(%size:0, %rest:0)
      %split = VariadicSplit(%written:0, %lengths:0) {axis=1}
      %seen = Convert(%split:0) {to=f32}
      %r = Result(%seen:0) {name="seen"})",
                     {"StatelessKV"}, 0);
  }
}

TEST(StepTable, FindsEveryIdAndNoOther) {
  for (const char* const id : {"StatelessKV", "add", "matmul", "swiglu", "rope_table", "scatter_rows"})
    EXPECT_NE(find_step(id).function, nullptr) << id;
  for (const char* const id : {"", "reference", "StatelessK", "swiglus", "Add"})
    EXPECT_EQ(find_step(id).function, nullptr) << id;
}

}  // namespace
}  // namespace tenon::cpu
