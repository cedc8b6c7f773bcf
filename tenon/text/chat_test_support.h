// The captures of tests/golden/templates, as the tests of chat templates need them.
#pragma once

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "tenon/text/chat_template.h"

namespace tenon::text {

using Json = nlohmann::ordered_json;

inline std::string read_template_file(const std::string& name) {
  const auto path = std::filesystem::path(TENON_SOURCE_DIR) / "tests/golden/templates" / name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline Json read_template_json(const std::string& name) { return Json::parse(read_template_file(name)); }

// What strftime_now tells in the captures: 2026-03-05 14:07:09, a Thursday.
inline std::tm captured_now() {
  std::tm now{};
  now.tm_year = 2026 - 1900;
  now.tm_mon = 2;
  now.tm_mday = 5;
  now.tm_hour = 14;
  now.tm_min = 7;
  now.tm_sec = 9;
  now.tm_wday = 4;
  now.tm_yday = 63;
  return now;
}

inline ChatMessage to_message(Json members) {
  ChatMessage message;
  message.role = members.at("role").get<std::string>();
  members.erase("role");
  if (members.contains("content") && members["content"].is_string()) {
    message.content = members["content"].get<std::string>();
    members.erase("content");
  }
  if (!members.empty()) message.members_json = members.dump();
  return message;
}

// A row of conversations.json.
inline ChatInput to_input(const Json& conversation, const std::string& bos_token,
                          const std::string& eos_token) {
  ChatInput input;
  for (const Json& message : conversation.at("messages")) input.messages.push_back(to_message(message));
  input.add_generation_prompt = conversation.at("add_generation_prompt").get<bool>();
  input.bos_token = bos_token;
  input.eos_token = eos_token;
  if (conversation.contains("tools")) input.tools_json = conversation["tools"].dump();
  if (conversation.contains("variables")) input.variables_json = conversation["variables"].dump();
  input.now = captured_now();
  return input;
}

}  // namespace tenon::text
