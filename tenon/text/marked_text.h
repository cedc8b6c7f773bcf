// How SentencePiece's vocabularies, and those made of them, spell spaces and bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::text {

using FindToken = std::function<std::optional<int32_t>(std::string_view text)>;

// Spaces as U+2581, and back.
std::string with_space_marks(std::string_view text);
std::string with_spaces(std::string_view text);

// The byte of a token spelt <0xNN>, which vocabularies with byte tokens of their own have.
std::optional<char> spelt_byte(std::string_view text);

// The tokens of all bytes: <0xNN>, or the byte itself; -1 where there is none.
std::array<int32_t, 256> find_byte_tokens(const FindToken& find_token);

// The bytes of a character by its first one alone: what follows is not looked at.
size_t character_bytes(char first);

}  // namespace tenon::text
