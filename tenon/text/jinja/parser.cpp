#include "tenon/text/jinja/parser.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "tenon/text/jinja/depth_guard.h"
#include "tenon/text/jinja/expression_parser.h"
#include "tenon/text/jinja/token_stream.h"

namespace tenon::text::jinja {
namespace {

constexpr int kMaxBlockDepth = 60;

constexpr std::array<std::string_view, 7> kMultiFileTags = {"autoescape", "block",   "extends", "from",
                                                            "import",     "include", "trans"};

template <class Node>
std::unique_ptr<const Statement> make(int line, Node node) {
  return std::make_unique<const Statement>(Statement{line, std::move(node)});
}

std::string quoted_list(const std::vector<std::string_view>& names) {
  std::string out;
  for (const std::string_view name : names) out += (out.empty() ? "'" : " or '") + std::string(name) + "'";
  return out;
}

class Parser {
 public:
  explicit Parser(std::string_view source) : tokens_(tokenize(source)), expressions_(tokens_) {}

  Body run() { return parse_body({}); }

 private:
  // Statements up to one of the tags `ends`, which stays the current token; without any, up to the end.
  Body parse_body(const std::vector<std::string_view>& ends) {
    const DepthGuard guard(depth_, kMaxBlockDepth, "blocks", tokens_.line());
    Body body;
    while (true) {
      const int line = tokens_.line();
      if (tokens_.at(TokenKind::kEnd)) {
        if (!ends.empty()) tokens_.fail_here(quoted_list(ends));
        return body;
      }
      if (tokens_.at(TokenKind::kData)) {
        body.push_back(make(line, Data{Text(tokens_.take().text)}));
      } else if (tokens_.at(TokenKind::kVariableBegin)) {
        tokens_.take();
        body.push_back(make(line, Print{expressions_.parse_tuple()}));
        tokens_.expect(TokenKind::kVariableEnd, "'}}'");
      } else {
        tokens_.expect(TokenKind::kBlockBegin, "text, '{{' or '{%'");
        if (std::any_of(ends.begin(), ends.end(), [&](auto end) { return tokens_.at_name(end); }))
          return body;
        body.push_back(parse_statement(ends));
        end_block();
      }
    }
  }

  // The end of the opening tag, the body, and the name of the tag that ends it.
  Body parse_block(const std::vector<std::string_view>& ends) {
    tokens_.skip_operator(":");
    end_block();
    return parse_body(ends);
  }
  Body parse_block_until(std::string_view end) {
    Body body = parse_block({end});
    tokens_.take();
    return body;
  }

  void end_block() { tokens_.expect(TokenKind::kBlockEnd, "'%}'"); }

  std::unique_ptr<const Statement> parse_statement(const std::vector<std::string_view>& ends) {
    struct Row {
      std::string_view tag;
      std::unique_ptr<const Statement> (Parser::*parse)(int line);
    };
    static constexpr std::array<Row, 10> kRows = {{{"break", &Parser::parse_break},
                                                   {"call", &Parser::parse_call},
                                                   {"continue", &Parser::parse_continue},
                                                   {"filter", &Parser::parse_filter},
                                                   {"for", &Parser::parse_for},
                                                   {"generation", &Parser::parse_generation},
                                                   {"if", &Parser::parse_if},
                                                   {"macro", &Parser::parse_macro},
                                                   {"set", &Parser::parse_set},
                                                   {"with", &Parser::parse_with}}};
    const auto row =
        std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return tokens_.at_name(r.tag); });
    if (row == kRows.end()) fail_unknown_tag(ends);
    return (this->*row->parse)(tokens_.take().line);
  }

  [[noreturn]] void fail_unknown_tag(const std::vector<std::string_view>& ends) const {
    const bool multi_file =
        tokens_.at(TokenKind::kName) &&
        std::count(kMultiFileTags.begin(), kMultiFileTags.end(), tokens_.current().text) > 0;
    if (multi_file) {
      throw Failure{ErrorCode::kUnsupported, "a template of one file",
                    "the tag '" + tokens_.current().text + "'", tokens_.line()};
    }
    tokens_.fail_here(ends.empty() ? "a statement" : "a statement or " + quoted_list(ends));
  }

  std::unique_ptr<const Statement> parse_set(int line) {
    Target target = expressions_.parse_target();
    if (tokens_.skip_operator("=")) return make(line, Set{std::move(target), expressions_.parse_tuple()});
    std::vector<FilterCall> filters;
    if (tokens_.skip_operator("|")) filters = expressions_.parse_filter_chain();
    return make(line, SetBlock{std::move(target), std::move(filters), parse_block_until("endset")});
  }

  std::unique_ptr<const Statement> parse_if(int line) {
    If statement;
    do {
      ExpressionPointer condition = expressions_.parse_tuple(false);
      statement.branches.emplace_back(std::move(condition), parse_block({"elif", "else", "endif"}));
    } while (tokens_.skip_name("elif"));
    if (tokens_.take().text == "else") statement.otherwise = parse_block_until("endif");
    return make(line, std::move(statement));
  }

  std::unique_ptr<const Statement> parse_for(int line) {
    For loop;
    loop.target = expressions_.parse_target("in");
    tokens_.expect_name("in");
    loop.iterable = expressions_.parse_tuple(false, "recursive");
    if (tokens_.skip_name("if")) loop.condition = expressions_.parse_expression();
    loop.recursive = tokens_.skip_name("recursive");
    ++open_loops_;
    loop.body = parse_block({"else", "endfor"});
    --open_loops_;
    if (tokens_.take().text == "else") loop.otherwise = parse_block_until("endfor");
    return make(line, std::move(loop));
  }

  void require_loop(int line, std::string found) const {
    if (open_loops_ == 0) throw Failure{ErrorCode::kInvalidFile, "a for loop around", std::move(found), line};
  }
  std::unique_ptr<const Statement> parse_break(int line) {
    require_loop(line, "'break'");
    return make(line, Break{});
  }
  std::unique_ptr<const Statement> parse_continue(int line) {
    require_loop(line, "'continue'");
    return make(line, Continue{});
  }

  // The body of a macro is a function of its own: no loop around it can be left from inside.
  void parse_macro_body(MacroDefinition& macro, std::string_view end) {
    MacroDefinition* const outer_macro = std::exchange(expressions_.current_macro, &macro);
    const int outer_loops = std::exchange(open_loops_, 0);
    macro.body = parse_block_until(end);
    open_loops_ = outer_loops;
    expressions_.current_macro = outer_macro;
    if (outer_macro != nullptr) {
      // A block inside a macro sees the macro's implicit variables.
      outer_macro->uses_varargs |= macro.uses_varargs;
      outer_macro->uses_kwargs |= macro.uses_kwargs;
      outer_macro->uses_caller |= macro.uses_caller;
    }
  }

  std::unique_ptr<const Statement> parse_macro(int line) {
    Macro macro;
    macro.definition.name = tokens_.expect_name();
    macro.definition.parameters = expressions_.parse_parameters();
    parse_macro_body(macro.definition, "endmacro");
    return make(line, std::move(macro));
  }

  std::unique_ptr<const Statement> parse_call(int line) {
    CallBlock block;
    block.caller.name = "caller";
    if (tokens_.at_operator("(")) block.caller.parameters = expressions_.parse_parameters();
    block.call = expressions_.parse_expression();
    if (!std::holds_alternative<Call>(block.call->node)) {
      throw Failure{ErrorCode::kInvalidFile, "a call behind 'call'", "another expression", line};
    }
    parse_macro_body(block.caller, "endcall");
    return make(line, std::move(block));
  }

  std::unique_ptr<const Statement> parse_filter(int line) {
    std::vector<FilterCall> filters = expressions_.parse_filter_chain();
    return make(line, FilterBlock{std::move(filters), parse_block_until("endfilter")});
  }

  std::unique_ptr<const Statement> parse_with(int line) {
    With with;
    while (!tokens_.at(TokenKind::kBlockEnd)) {
      if (!with.assignments.empty()) tokens_.expect_operator(",");
      Target target = expressions_.parse_target();
      tokens_.expect_operator("=");
      with.assignments.emplace_back(std::move(target), expressions_.parse_expression());
    }
    with.body = parse_block_until("endwith");
    return make(line, std::move(with));
  }

  // Marks what the assistant wrote, for training; for a prompt it is a scope of its own and nothing else.
  std::unique_ptr<const Statement> parse_generation(int line) {
    return make(line, With{{}, parse_block_until("endgeneration")});
  }

  TokenStream tokens_;
  ExpressionParser expressions_;
  int depth_ = 0;
  int open_loops_ = 0;
};

}  // namespace

Body parse_template(std::string_view source) { return Parser(source).run(); }

}  // namespace tenon::text::jinja
