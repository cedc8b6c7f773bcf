#include "tenon/text/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>

namespace tenon::text {
namespace {

TEST(ByteAlphabet, SpellsBytesAsVocabulariesDo) {
  EXPECT_EQ(to_byte_alphabet(" a\n\t~"), "\u0120a\u010A\u0109~");
  EXPECT_EQ(to_byte_alphabet("\u00E9"), "\u00C3\u00A9");  // bytes C3 A9, both for themselves
  EXPECT_EQ(byte_character(0x00), "\u0100");
  EXPECT_EQ(byte_character(0xAD), "\u0143");  // the last substitute
}

TEST(ByteAlphabet, ReadsBackEveryByte) {
  std::set<std::string_view> characters;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string_view character = byte_character(static_cast<uint8_t>(byte));
    characters.insert(character);
    EXPECT_EQ(from_byte_alphabet(character), std::string(1, static_cast<char>(byte)));
  }
  EXPECT_EQ(characters.size(), 256u);
}

TEST(ByteAlphabet, LeavesOtherCharactersAlone) {
  EXPECT_EQ(from_byte_alphabet("\u0120\u4E2D \u0144\xC4"), " \u4E2D \u0144\xC4");
}

}  // namespace
}  // namespace tenon::text
