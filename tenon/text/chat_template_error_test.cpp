// Errors of chat templates: at parse with the line, at render with the template's own words; and bounds on
// what an untrusted template may use.
#include <gtest/gtest.h>

#include <thread>

#include "tenon/text/chat_test_support.h"

namespace tenon::text {
namespace {

std::string repeat(const std::string& text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

ChatInput hello() {
  ChatInput input;
  input.messages = {{"user", "hello", ""}};
  return input;
}

Error render_error(const std::string& source, const ChatInput& input = hello()) {
  const auto parsed = ChatTemplate::parse(source);
  if (!parsed.ok()) return parsed.error();
  const auto prompt = parsed->render(input);
  EXPECT_FALSE(prompt.ok()) << source.substr(0, 80);
  return prompt.ok() ? Error{} : prompt.error();
}

TEST(ChatTemplateErrors, ParseErrorsTellLineWantedAndFound) {
  struct Case {
    const char* source;
    const char* message;
  };
  const Case cases[] = {
      {"a\n{% if x %}\nb",
       "chat template, line 3: wanted 'elif' or 'else' or 'endif', found the end of the template"},
      {"a\n\n{% endfor %}", "chat template, line 3: wanted a statement, found name 'endfor'"},
      {"{% if x %}\n{% endfor %}",
       "chat template, line 2: wanted a statement or 'elif' or 'else' or 'endif', found "
       "name 'endfor'"},
      {"{{ a b }}", "chat template, line 1: wanted '}}', found name 'b'"},
      {"{{ }}", "chat template, line 1: wanted an expression, found '}}'"},
      {"{{ 'a }}", "chat template, line 1: wanted a closing ', found the end of the template"},
      {"\n{{ (1, 2 }}", "chat template, line 2: wanted ), found }"},
      {"{{ a", "chat template, line 1: wanted '}}', found the end of the template"},
      {"{# never closed",
       "chat template, line 1: wanted '#}' at the end of the comment, found the end of the template"},
      {"{% raw %}\n", "chat template, line 1: wanted {% endraw %}, found the end of the template"},
      {"{{ a ! b }}", "chat template, line 1: wanted an expression, found the character '!'"},
      {"{{ '\\x4' }}", "chat template, line 1: wanted valid escape sequences, found '\\x4'"},
      {"{{ 99999999999999999999 }}",
       "chat template, line 1: wanted a number that fits into 64 bits, found "
       "99999999999999999999"},
      {"{% set 1 = 2 %}", "chat template, line 1: wanted a name, found number 1"},
      {"{% set none = 2 %}", "chat template, line 1: wanted a name to assign to, found name 'none'"},
      {"{% break %}", "chat template, line 1: wanted a for loop around, found 'break'"},
      {"{% for x in y %}{% macro m() %}{% continue %}{% endmacro %}{% endfor %}",
       "chat template, line 1: wanted a for loop around, found 'continue'"},
      {"{{ f(a=1, 2) }}",
       "chat template, line 1: wanted positional arguments before named ones, found number 2"},
      {"{% macro m(a=1, b) %}{% endmacro %}",
       "chat template, line 1: wanted a default value: the parameter before has one, found ')'"},
      {"{% call 1 %}{% endcall %}",
       "chat template, line 1: wanted a call behind 'call', found another expression"},
  };
  for (const Case& test : cases) {
    const auto parsed = ChatTemplate::parse(test.source);
    ASSERT_FALSE(parsed.ok()) << test.source;
    EXPECT_EQ(parsed.error().message(), test.message);
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidFile) << test.source;
  }
}

TEST(ChatTemplateErrors, OtherFilesAreUnsupported) {
  for (const char* tag : {"include 'a'", "import 'a' as b", "from 'a' import b", "extends 'a'", "block a"}) {
    const auto parsed = ChatTemplate::parse("\n{% " + std::string(tag) + " %}");
    ASSERT_FALSE(parsed.ok()) << tag;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(parsed.error().where, "chat template, line 2");
  }
}

TEST(ChatTemplateErrors, RenderErrorsTellLineAndReason) {
  EXPECT_EQ(render_error("\n\n{{ raise_exception('roles must alternate') }}").found, "roles must alternate");
  EXPECT_EQ(render_error("\n\n{{ missing.x }}").message(), "chat template, line 3: 'missing' is undefined");
  EXPECT_EQ(render_error("{{ messages[0].nothing.x }}").found, "'dict object' has no attribute 'nothing'");
  EXPECT_EQ(render_error("{{ messages[3].role }}").found, "list object has no element 3");
  EXPECT_EQ(render_error("\n{{ 1|nothing }}").message(),
            "chat template, line 2: wanted a known filter, found 'nothing'");
  EXPECT_EQ(render_error("{{ 1|nothing }}").code, ErrorCode::kUnsupported);
  EXPECT_EQ(render_error("{{ 'a'|replace('b') }}").found, "replace() missing required argument 'new'");
  EXPECT_EQ(render_error("{{ 'a'|trim(sideways=1) }}").found,
            "trim() got an unexpected keyword argument 'sideways'");
  EXPECT_EQ(render_error("{{ 9223372036854775807 + 1 }}").found, "an integer beyond 64 bits");
  EXPECT_EQ(render_error("{{ -9223372036854775807 - 2 }}").found, "an integer beyond 64 bits");
  EXPECT_EQ(render_error("{{ 'x'[::0] }}").found, "slice step cannot be zero");
}

TEST(ChatTemplateErrors, InputThatIsNotTheRightJson) {
  ChatInput tools = hello();
  tools.tools_json = "{}";
  EXPECT_EQ(render_error("x", tools).message(), "chat input: wanted a JSON array of tools, found dict");
  ChatInput variables = hello();
  variables.variables_json = "{\"a\": ";
  EXPECT_EQ(render_error("x", variables).where, "chat input");
  ChatInput members = hello();
  members.messages[0].members_json = "[1]";
  EXPECT_EQ(render_error("x", members).message(),
            "chat input: wanted a JSON object of message members, found list");
  ChatInput deep = hello();
  deep.tools_json = repeat("[", 100'000) + repeat("]", 100'000);
  EXPECT_EQ(render_error("x", deep).found, "JSON nested more than 200 levels deep");
}

// Each would run, grow or recurse without end.
TEST(ChatTemplateErrors, EndlessTemplatesAreStopped) {
  const std::string sources[] = {
      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
      "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor "
      "%}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
      "{% for a in range(99999) %}{% for b in range(99999) %}{% set c = a %}{% endfor %}{% endfor %}",
      "{% set l = [] %}{% set _ = l.append(l) %}{{ l }}",
      "{% set l = [] %}{% set _ = l.append(l) %}{{ l|tojson }}",
      "{% set a = [] %}{% set b = [] %}{% set _ = a.append(b) %}{% set _ = b.append(a) %}{{ a == b }}",
      "{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}"
      "{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}",
      "{{ 'x' * 9999999999 }}",
      "{{ [1] * 9999999999 }}",
      "{{ 'a\nb'|indent(9999999999) }}",
      "{{ '%9999999999s' % 'x' }}",
      "{{ '{:9999999999}'.format(1) }}",
      "{{ ('x' * 60000000)|list|length }}",
      "{{ ('x' * 60000000)|replace('x', 'yy')|length }}",
      "{{ strftime_now('%9999999d') }}",
      "{% macro m(n) %}{{ caller() }}{% endmacro %}{% macro r() %}{% call m(1) %}{{ r() }}{% endcall %}{% "
      "endmacro %}"
      "{{ r() }}",
      "{{ " + repeat("(", 100'000) + "1" + repeat(")", 100'000) + " }}",
      "{{ " + repeat("[", 100'000) + " }}",
      "{{ " + repeat("not ", 100'000) + "x }}",
      "{{ " + repeat("-", 100'000) + "1 }}",
      "{{ 1" + repeat("+1", 100'000) + " }}",
      "{{ x" + repeat(".a", 100'000) + " }}",
      "{{ x" + repeat("|trim", 100'000) + " }}",
      "{{ x" + repeat(" if x", 100'000) + " }}",
      "{{ x" + repeat(" if x else x", 100'000) + " }}",
      "{% set " + repeat("(", 100'000) + "x = 1 %}",
      repeat("{% if x %}", 100'000),
      repeat("{% macro m() %}", 100'000),
  };
  for (const std::string& source : sources) {
    SCOPED_TRACE(source.substr(0, 60));
    EXPECT_FALSE(render_error(source).message().empty());
  }
}

TEST(ChatTemplateErrors, LongButFlatTemplatesRun) {
  const std::string source = "{% if 0 %}" + repeat("{% elif 0 %}", 5000) + "{% else %}" +
                             repeat("{{ 'a' ~ 'b' }}", 5000) + "{% endif %}{{ 'x' " + repeat("~ 'y' ", 5000) +
                             "}}";
  const auto parsed = ChatTemplate::parse(source);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  const auto prompt = parsed->render(hello());
  ASSERT_TRUE(prompt.ok()) << prompt.error().message();
  EXPECT_EQ(prompt->text, repeat("ab", 5000) + "x" + repeat("y", 5000));
}

TEST(ChatTemplateErrors, RenderingLeavesNothingBehind) {
  const auto parsed =
      ChatTemplate::parse("{% set _ = messages.append(1) %}{{ messages|length }}{{ [].append(1) }}");
  ASSERT_TRUE(parsed.ok());
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::string& text : texts) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) text += parsed->render(hello())->text;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) EXPECT_EQ(text, repeat("2None", 100));
}

}  // namespace
}  // namespace tenon::text
