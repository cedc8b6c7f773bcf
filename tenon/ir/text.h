// The text form of a model: printed for people and tests, parsed for pass tests. One node per line:
//
//   model "tiny" {
//     symbol T in [1, 512]
//     %tokens = Parameter() {name="inp_tokens", type=i32[1,1,1,T:token], role=tokens}
//     %top = TopK(%scores:0, %k:0) {axis=3} : f32[1,1,T:token,2], i32[1,1,T:token,2]
//     %out = Result(%top:1) {name="ids"}
//   }
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tenon/ir/model.h"

namespace tenon::ir {

std::string print(const Model& model);

// Gives the bytes of a weight that the text names; without one, weights have no data.
using WeightSource = std::function<Result<ConstantData>(std::string_view weight, const TensorType& type)>;

// Types after the colon are checked against the inferred ones where they are given. Errors name line and
// column.
Result<Model> parse(std::string_view text, SchemaTable schemas, const WeightSource& weights = nullptr);

}  // namespace tenon::ir
