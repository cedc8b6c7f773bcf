// Sessions of models in the text form on the references.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tenon/ir/text.h"
#include "tenon/op/op.h"
#include "tenon/ref/backend.h"
#include "tenon/runtime/session.h"

namespace tenon::runtime {

inline std::shared_ptr<const plan::Plan> plan_of(const std::string& body) {
  const ir::Model model =
      ir::parse("model \"m\" {\n  symbol T in [1, 4]\n  symbol KV in [1, 8]\n" + body + "\n}",
                op::all_schemas())
          .value();
  return plan::make_plan(model, ref::make_backend()->target(), {}).value();
}

inline std::unique_ptr<Session> session_of(const std::string& body) {
  return Session::create(ref::make_backend(), plan_of(body)).value();
}

template <class T>
Status bind_input(Session& session, std::string_view name, std::vector<T>& values) {
  return session.bind_input(name, reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(T));
}

template <class T>
Status bind_output(Session& session, std::string_view name, std::vector<T>& values) {
  return session.bind_output(name, reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(T));
}

// A step's rows [1,T,2] go to rows `index` of a cache of 8 rows; "sum" is what attention would read of it, +
// itself. In place, and in the copying layout.
inline constexpr const char* kInPlaceCache = R"(
  %tokens = Parameter() {name="tokens", type=i32[1,1,1,T:token], role=tokens}
  %cache = Parameter() {name="cache", type=f32[1,8:position,1,2], role=cache}
  %rows = Parameter() {name="rows", type=f32[1,T:token,1,2]}
  %index = Parameter() {name="index", type=i64[1,1,1,T:token], role=cache_index}
  %size = Parameter() {name="size", type=i64[1], role=attention_size, value_symbol="KV"}
  %rest = Constant() {type=i64[1], values=[-1]}
  %lengths = Concat(%size:0, %rest:0)
  %written = ScatterUpdate(%cache:0, %index:0, %rows:0) {axis=1}
  %split = VariadicSplit(%written:0, %lengths:0) {axis=1}
  %sum = Add(%split:0, %split:0)
  %r = Result(%sum:0) {name="sum"}
  %c = Result(%written:0) {name="cache"}
)";
inline constexpr const char* kCopiedCache = R"(
  %tokens = Parameter() {name="tokens", type=i32[1,1,1,T:token], role=tokens}
  %cache = Parameter() {name="cache", type=f32[1,KV:position,1,2], role=cache}
  %rows = Parameter() {name="rows", type=f32[1,T:token,1,2]}
  %index = Parameter() {name="index", type=i64[1,1,1,T:token], role=cache_index}
  %written = ScatterUpdate(%cache:0, %index:0, %rows:0) {axis=1}
  %sum = Add(%written:0, %written:0)
  %r = Result(%sum:0) {name="sum"}
  %c = Result(%written:0) {name="cache"}
)";

}  // namespace tenon::runtime
