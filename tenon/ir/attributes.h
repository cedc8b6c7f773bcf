// Typed attributes of a node. An op declares a plain struct and one visit() over its members; printing,
// parsing, comparing and copying all follow from that.
//
//   struct RmsNormAttributes : ir::AttributesOf<RmsNormAttributes> {
//     double epsilon = 1e-5;
//     template <class V> void visit_fields(V& v) { v.field("epsilon", epsilon); }
//   };
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/type/tensor_type.h"

namespace tenon::ir {

// An enum member seen as its index in a list of names.
struct EnumField {
  int* value;
  std::span<const std::string_view> names;
};

class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void field(std::string_view name, bool& value) = 0;
  virtual void field(std::string_view name, int64_t& value) = 0;
  virtual void field(std::string_view name, double& value) = 0;
  virtual void field(std::string_view name, std::string& value) = 0;
  virtual void field(std::string_view name, ElementType& value) = 0;
  virtual void field(std::string_view name, std::vector<int64_t>& value) = 0;
  virtual void field(std::string_view name, std::vector<Dim>& value) = 0;
  virtual void field(std::string_view name, TensorType& value) = 0;
  virtual void field(std::string_view name, EnumField value) = 0;

  template <class Enum>
  void enumeration(std::string_view field_name, Enum& value, std::span<const std::string_view> names) {
    int index = static_cast<int>(value);
    field(field_name, EnumField{&index, names});
    value = static_cast<Enum>(index);
  }
};

class Attributes {
 public:
  virtual ~Attributes() = default;
  virtual void visit(FieldVisitor& visitor) = 0;
  virtual std::unique_ptr<Attributes> clone() const = 0;
};

template <class Derived>
class AttributesOf : public Attributes {
 public:
  void visit(FieldVisitor& visitor) override { static_cast<Derived*>(this)->visit_fields(visitor); }
  std::unique_ptr<Attributes> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

// For ops without attributes.
struct NoAttributes : AttributesOf<NoAttributes> {
  void visit_fields(FieldVisitor&) {}
};

// "{axis=1, mode=max}": the fields in which `attributes` differs from `defaults` (of the same type); "" when
// in none.
std::string print_attributes(const Attributes& attributes, const Attributes& defaults);
// Fills `attributes` from the text that print_attributes gave; fields that the text leaves out keep their
// defaults. An unknown field, a value of the wrong kind or an unknown enum name is an error naming it.
Status parse_attributes(std::string_view text, Attributes& attributes);

}  // namespace tenon::ir
