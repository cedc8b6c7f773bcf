// Rendered prompts equal to jinja2's: one short template for each feature of the language, and the templates
// of two real models over a matrix of conversations.
#include <gtest/gtest.h>

#include "tenon/text/chat_test_support.h"

namespace tenon::text {
namespace {

// `expected`: {"text": …} or {"error": …}. Of failures only the template's own message (raise_exception) must
// be equal.
void expect_rendering(const std::string& source, const ChatInput& input, const Json& expected) {
  const auto parsed = ChatTemplate::parse(source);
  if (!parsed.ok()) {
    EXPECT_TRUE(expected.contains("error")) << parsed.error().message();
    return;
  }
  const auto prompt = parsed->render(input);
  if (expected.contains("text")) {
    ASSERT_TRUE(prompt.ok()) << prompt.error().message();
    EXPECT_EQ(prompt->text, expected["text"].get<std::string>());
  } else {
    ASSERT_FALSE(prompt.ok()) << prompt->text;
    if (source.find("raise_exception") != std::string::npos) {
      EXPECT_EQ(prompt.error().found, expected["error"].get<std::string>());
    }
  }
}

TEST(ChatTemplateGolden, Features) {
  const Json expected = read_template_json("expected.json").at("features");
  const Json conversation = read_template_json("conversations.json").at(0);
  const Json features = read_template_json("features.json");
  ASSERT_EQ(features.size(), expected.size());
  for (const Json& feature : features) {
    const auto name = feature.at("name").get<std::string>();
    SCOPED_TRACE(name);
    Json given = conversation;
    given["variables"] = feature.value("variables", Json::object());
    expect_rendering(feature.at("template").get<std::string>(), to_input(given, "<s>", "</s>"),
                     expected.at(name));
  }
}

class ChatTemplateModels : public testing::TestWithParam<const char*> {};

TEST_P(ChatTemplateModels, Conversations) {
  const std::string name = GetParam();
  const Json expected = read_template_json("expected.json").at("models").at(name);
  const std::string source = read_template_file(name + ".jinja");
  const Json conversations = read_template_json("conversations.json");
  ASSERT_EQ(conversations.size(), expected.at("prompts").size());
  for (const Json& conversation : conversations) {
    const auto title = conversation.at("name").get<std::string>();
    SCOPED_TRACE(title);
    const ChatInput input = to_input(conversation, expected.at("bos_token").get<std::string>(),
                                     expected.at("eos_token").get<std::string>());
    expect_rendering(source, input, expected.at("prompts").at(title));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ChatTemplateModels, testing::Values("gemma-3", "qwen2.5-coder", "smollm2"));

}  // namespace
}  // namespace tenon::text
