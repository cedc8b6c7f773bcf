#include "tenon/ir/attributes.h"

#include <algorithm>
#include <charconv>

namespace tenon::ir {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string shortest(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end.ptr);
}

template <class T, class ToString>
std::string bracketed(const std::vector<T>& values, ToString to_string) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) out += (i > 0 ? "," : "") + to_string(values[i]);
  return out + "]";
}

class Printer : public FieldVisitor {
 public:
  void field(std::string_view name, bool& value) override { add(name, value ? "true" : "false"); }
  void field(std::string_view name, int64_t& value) override { add(name, std::to_string(value)); }
  void field(std::string_view name, double& value) override { add(name, shortest(value)); }
  void field(std::string_view name, std::string& value) override { add(name, quoted(value)); }
  void field(std::string_view field_name, ElementType& value) override {
    add(field_name, std::string(tenon::name(value)));
  }
  void field(std::string_view name, std::vector<int64_t>& value) override {
    add(name, bracketed(value, [](int64_t item) { return std::to_string(item); }));
  }
  void field(std::string_view name, std::vector<Dim>& value) override {
    add(name, bracketed(value, [](const Dim& item) { return item.to_string(); }));
  }
  void field(std::string_view name, TensorType& value) override { add(name, value.to_string()); }
  void field(std::string_view name, EnumField value) override {
    add(name, std::string(value.names[static_cast<size_t>(*value.value)]));
  }

  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  void add(std::string_view name, std::string value) { fields_.emplace_back(name, std::move(value)); }
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct NamedText {
  std::string name;
  std::string value;
  bool taken = false;
};

Error syntax_error(std::string_view text, std::string wanted) {
  return {ErrorCode::kInvalidArgument, "attributes " + std::string(text), std::move(wanted), "", ""};
}

// Splits "{a=1, b=[1,2], c=\"x, y\"}" into names and value texts.
Result<std::vector<NamedText>> split_fields(std::string_view text) {
  std::vector<NamedText> out;
  if (text.empty()) return out;
  if (text.size() < 2 || text.front() != '{' || text.back() != '}')
    return syntax_error(text, "braces around the fields");
  const std::string_view inside = text.substr(1, text.size() - 2);
  size_t i = 0;
  while (i < inside.size()) {
    const size_t equals = inside.find('=', i);
    if (equals == std::string_view::npos) return syntax_error(text, "name=value");
    NamedText field{std::string(inside.substr(i, equals - i)), ""};
    int depth = 0;
    bool in_string = false;
    for (i = equals + 1; i < inside.size(); ++i) {
      const char c = inside[i];
      if (in_string) {
        if (c == '\\' && i + 1 < inside.size())
          field.value += inside[i++];
        else if (c == '"')
          in_string = false;
      } else if (c == '"') {
        in_string = true;
      } else if (c == '[') {
        ++depth;
      } else if (c == ']') {
        --depth;
      } else if (c == ',' && depth == 0) {
        break;
      }
      field.value += inside[i];
    }
    if (in_string || depth != 0) return syntax_error(text, "closed quotes and brackets");
    const auto same_name = [&](const NamedText& other) { return other.name == field.name; };
    if (std::any_of(out.begin(), out.end(), same_name)) return syntax_error(text, field.name + " once");
    out.push_back(std::move(field));
    if (i < inside.size()) ++i;
    while (i < inside.size() && inside[i] == ' ') ++i;
  }
  return out;
}

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), out);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && !text.empty();
}

class Parser : public FieldVisitor {
 public:
  explicit Parser(std::vector<NamedText> fields) : fields_(std::move(fields)) {}

  void field(std::string_view name, bool& value) override {
    set(name, "true or false", [&](std::string_view text) {
      value = text == "true";
      return text == "true" || text == "false";
    });
  }
  void field(std::string_view name, int64_t& value) override {
    set(name, "an integer", [&](std::string_view text) { return parse_number(text, value); });
  }
  void field(std::string_view name, double& value) override {
    set(name, "a number", [&](std::string_view text) { return parse_number(text, value); });
  }
  void field(std::string_view name, std::string& value) override {
    set(name, "a quoted string", [&](std::string_view text) {
      if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
      value.clear();
      for (size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] == '\\' && i + 2 < text.size()) ++i;
        value += text[i];
      }
      return true;
    });
  }
  void field(std::string_view name, ElementType& value) override {
    set(name, "an element type", [&](std::string_view text) {
      const auto type = element_type_from_name(text);
      if (type) value = *type;
      return type.has_value();
    });
  }
  void field(std::string_view name, std::vector<int64_t>& value) override {
    set(name, "a list of integers", [&](std::string_view text) {
      value.clear();
      return each_item(text, [&](std::string_view item) {
        value.push_back(0);
        return parse_number(item, value.back());
      });
    });
  }
  void field(std::string_view name, std::vector<Dim>& value) override {
    set(name, "a list of extents", [&](std::string_view text) {
      value.clear();
      return each_item(text, [&](std::string_view item) {
        Result<Dim> dim = Dim::parse(item);
        if (dim.ok()) value.push_back(*dim);
        return dim.ok();
      });
    });
  }
  void field(std::string_view name, TensorType& value) override {
    set(name, "a tensor type", [&](std::string_view text) {
      Result<TensorType> type = TensorType::parse(text);
      if (type.ok()) value = *type;
      return type.ok();
    });
  }
  void field(std::string_view name, EnumField value) override {
    std::string wanted = "one of";
    for (const std::string_view item : value.names) (wanted += ' ') += item;
    set(name, wanted, [&](std::string_view text) {
      for (size_t i = 0; i < value.names.size(); ++i) {
        if (value.names[i] == text) return *value.value = static_cast<int>(i), true;
      }
      return false;
    });
  }

  Status finish() const {
    if (!error_.ok()) return error_;
    for (const NamedText& field : fields_) {
      if (!field.taken) {
        return Error{ErrorCode::kInvalidArgument, "attribute " + field.name, "a field that the op has",
                     field.name, ""};
      }
    }
    return {};
  }

 private:
  template <class Assign>
  void set(std::string_view name, std::string_view wanted, Assign assign) {
    for (NamedText& field : fields_) {
      if (field.name != name) continue;
      field.taken = true;
      if (!assign(field.value) && error_.ok()) {
        error_ = Error{ErrorCode::kInvalidArgument, "attribute " + field.name, std::string(wanted),
                       field.value, ""};
      }
    }
  }

  template <class Accept>
  static bool each_item(std::string_view text, Accept accept) {
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
    text = text.substr(1, text.size() - 2);
    if (text.empty()) return true;
    for (;;) {
      const size_t comma = text.find(',');
      if (!accept(text.substr(0, comma))) return false;
      if (comma == std::string_view::npos) return true;
      text.remove_prefix(comma + 1);
    }
  }

  std::vector<NamedText> fields_;
  Status error_;
};

}  // namespace

std::string print_attributes(const Attributes& attributes, const Attributes& defaults) {
  Printer printer, unset;
  attributes.clone()->visit(printer);
  defaults.clone()->visit(unset);
  std::string out;
  for (size_t i = 0; i < printer.fields().size(); ++i) {
    if (printer.fields()[i] == unset.fields()[i]) continue;
    out += (out.empty() ? "{" : ", ") + printer.fields()[i].first + "=" + printer.fields()[i].second;
  }
  return out.empty() ? out : out + "}";
}

Status parse_attributes(std::string_view text, Attributes& attributes) {
  TENON_ASSIGN(std::vector<NamedText> fields, split_fields(text));
  Parser parser(std::move(fields));
  attributes.visit(parser);
  return parser.finish();
}

}  // namespace tenon::ir
