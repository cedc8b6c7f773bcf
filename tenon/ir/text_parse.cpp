#include <cctype>
#include <charconv>

#include "tenon/ir/text.h"

namespace tenon::ir {

namespace {

class Parser {
 public:
  Parser(std::string_view text, SchemaTable schemas, const WeightSource& weights)
      : text_(text), schemas_(schemas), weights_(weights) {}

  Result<Model> model() {
    TENON_RETURN_IF_ERROR(expect("model"));
    TENON_RETURN_IF_ERROR(expect("\""));
    const size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) return error("a closing quote after the model's name");
    Model out{std::string(text_.substr(at_, end - at_))};
    at_ = end + 1;
    TENON_RETURN_IF_ERROR(expect("{"));
    while (!accept("}")) {
      if (accept("symbol "))
        TENON_RETURN_IF_ERROR(symbol(out));
      else
        TENON_RETURN_IF_ERROR(node(out));
    }
    skip_space();
    if (at_ != text_.size()) return error("the end of the text after the model");
    return out;
  }

 private:
  Status symbol(Model& out) {
    TENON_ASSIGN(std::string name, word("a symbol's name"));
    TENON_RETURN_IF_ERROR(expect("in"));
    TENON_RETURN_IF_ERROR(expect("["));
    Bounds bounds;
    TENON_ASSIGN(bounds.min, bound());
    TENON_RETURN_IF_ERROR(expect(","));
    TENON_ASSIGN(bounds.max, bound());
    TENON_RETURN_IF_ERROR(expect("]"));
    out.symbols()[name] = bounds;
    return {};
  }

  Result<int64_t> bound() {
    if (accept("inf")) return INT64_MAX;
    return integer();
  }

  Status node(Model& out) {
    skip_space();
    const size_t start = at_;
    TENON_RETURN_IF_ERROR(expect("%"));
    TENON_ASSIGN(std::string name, word("a node's name"));
    if (out.find(name)) return error("a node name of its own, not a second %" + name);
    TENON_RETURN_IF_ERROR(expect("="));
    TENON_ASSIGN(std::string op, word("an op"));
    const OpSchema* schema = find_schema(schemas_, op);
    if (!schema) return error("an op of the catalogue, not '" + op + "'");

    TENON_RETURN_IF_ERROR(expect("("));
    std::vector<Value> inputs;
    while (!accept(")")) {
      if (!inputs.empty()) TENON_RETURN_IF_ERROR(expect(","));
      TENON_ASSIGN(Value input, value(out));
      inputs.push_back(input);
    }

    std::unique_ptr<Attributes> attributes = schema->make_attributes();
    skip_space();
    if (at_ < text_.size() && text_[at_] == '{') {
      const size_t brace = at_;
      TENON_ASSIGN(std::string_view braces, braced());
      TENON_RETURN_IF_ERROR(located(brace, parse_attributes(braces, *attributes)));
    }
    TENON_RETURN_IF_ERROR(located(start, fill_constant(*attributes)));
    Result<Node*> made = out.add(*schema, std::move(inputs), std::move(attributes), name);
    if (!made.ok()) return located(start, std::move(made).error());
    return declared_types(**made);
  }

  Result<Value> value(const Model& model) {
    TENON_RETURN_IF_ERROR(expect("%"));
    TENON_ASSIGN(std::string name, word("a node's name"));
    TENON_RETURN_IF_ERROR(expect(":"));
    TENON_ASSIGN(int64_t port, integer());
    Node* const producer = model.find(name);
    if (!producer) return error("a node above, not %" + name);
    if (port < 0 || port >= producer->port_count()) return error("a port that %" + name + " has");
    return producer->output(static_cast<int>(port));
  }

  // Small integer constants get their bytes from their values, weights from the caller's source.
  Status fill_constant(Attributes& attributes) {
    auto* const constant = dynamic_cast<ConstantAttributes*>(&attributes);
    if (!constant) return {};
    if (!constant->values.empty()) {
      if (constant->type.element != ElementType::kI32 && constant->type.element != ElementType::kI64) {
        return Error{ErrorCode::kInvalidArgument, "Constant", "i32 or i64 elements beside values",
                     constant->type.to_string(), ""};
      }
      if (constant->type.element_count() != Dim(static_cast<int64_t>(constant->values.size()))) {
        return Error{ErrorCode::kInvalidArgument, "Constant", "as many values as elements",
                     std::to_string(constant->values.size()) + " for " + constant->type.to_string(), ""};
      }
      constant->data = integer_constant(constant->type.element, constant->type.axes, constant->values)->data;
    } else if (weights_ && !constant->weight.empty()) {
      TENON_ASSIGN(constant->data, weights_(constant->weight, constant->type));
    }
    return {};
  }

  Status declared_types(const Node& node) {
    if (!accept(":")) return {};
    for (int port = 0; port < node.port_count(); ++port) {
      if (port > 0) TENON_RETURN_IF_ERROR(expect(","));
      skip_space();
      const size_t end = text_.find(']', at_);
      if (end == std::string_view::npos) return error("a tensor type");
      Result<TensorType> type = TensorType::parse(text_.substr(at_, end + 1 - at_));
      if (!type.ok()) return located(at_, std::move(type).error());
      if (*type != node.port_type(port)) {
        return error("the inferred type " + node.port_type(port).to_string() + " at port " +
                     std::to_string(port));
      }
      at_ = end + 1;
    }
    return {};
  }

  Result<std::string_view> braced() {
    const size_t start = at_;
    bool in_string = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && in_string)
        ++at_;
      else if (c == '"')
        in_string = !in_string;
      else if (c == '}' && !in_string)
        return text_.substr(start, ++at_ - start);
    }
    return error("a closing brace");
  }

  Result<std::string> word(std::string_view wanted) {
    skip_space();
    const size_t start = at_;
    const auto belongs = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '/';
    };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    if (at_ == start) return error(std::string(wanted));
    return std::string(text_.substr(start, at_ - start));
  }

  Result<int64_t> integer() {
    skip_space();
    int64_t out = 0;
    const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out);
    if (parsed.ec != std::errc()) return error("an integer");
    at_ = static_cast<size_t>(parsed.ptr - text_.data());
    return out;
  }

  void skip_space() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])))
        ++at_;
      else if (text_.substr(at_, 2) == "//")
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        break;
    }
  }

  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  Status expect(std::string_view token) {
    if (accept(token)) return {};
    return error("'" + std::string(token) + "'");
  }

  std::string place(size_t at) const {
    size_t line = 1, column = 1;
    for (const char c : text_.substr(0, at)) {
      if (c == '\n')
        ++line, column = 1;
      else
        ++column;
    }
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
  }

  Error error(std::string wanted) const {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()));
    return {ErrorCode::kInvalidArgument, place(at_), std::move(wanted),
            "'" + std::string(rest.substr(0, 24)) + "'", ""};
  }

  // Errors of other parts, with the place in the text that they speak of.
  Status located(size_t at, Status status) const {
    if (status.ok()) return {};
    Error out = std::move(status).error();
    out.where = place(at) + ": " + out.where;
    return out;
  }

  std::string_view text_;
  SchemaTable schemas_;
  const WeightSource& weights_;
  size_t at_ = 0;
};

}  // namespace

Result<Model> parse(std::string_view text, SchemaTable schemas, const WeightSource& weights) {
  return Parser(text, schemas, weights).model();
}

}  // namespace tenon::ir
