#include "tests/fuzz/gguf_corpus/cases.h"

namespace tenon::gguf_corpus {

namespace {

// Keys of every kind; the last one's value ends the file.
Image keys() {
  gguf::Writer writer;
  writer.set("general.architecture", "llama");
  writer.set("key.text", "some text").set("key.number", uint64_t{1} << 40).set("key.flag", true);
  writer.set("key.floats", std::vector<float>{0.5f, -1.0f, 2.0f});
  writer.set("key.bits", std::vector<bool>{true, false});
  writer.set("key.words", std::vector<std::string>{"one", "", "three"});
  return Image(writer);
}

Case refused_key(std::string file, const Image& image, size_t offset, const std::string& key,
                 const std::string& rest) {
  return refused(std::move(file), image, offset, ", key " + key + rest);
}

}  // namespace

std::vector<Case> metadata_cases() {
  const Image good = keys();
  const size_t text = good.length("key.text"), end = good.size();
  const std::string left_after_text =
      std::to_string(end - good.value("key.text") - 8) + " bytes left in the file";
  const auto patched = [&](size_t at, auto value) { return Image(good).put(at, value); };
  const auto cut = [&](size_t size) { return Image(good).cut(size); };
  gguf::Writer one_key;
  one_key.set("general.architecture", "llama");
  return {
      accepted("keys", good),
      accepted("keys_flag_of_2", patched(good.value("key.flag"), uint8_t{2})),
      refused_key("keys_fewer_than_counted", Image(one_key).put(Image::kKeyCount, uint64_t{2}),
                  Image(one_key).size(), "#1",
                  ": wanted 8 bytes for the key, found 0 bytes left in the file"),
      refused_key("keys_name_beyond_file", patched(text, uint64_t{1000}), text + 8, "#1",
                  ": wanted 1000 bytes for the key, found " + std::to_string(end - text - 8) + " bytes left"),
      refused_key("keys_name_of_2_48", patched(text, uint64_t{1} << 48), text, "#1",
                  ": wanted at most 1073741824 bytes for the key, found a length of 281474976710656"),
      refused_key("keys_name_of_minus_1", patched(text, UINT64_MAX), text, "#1",
                  ": wanted at most 1073741824 bytes for the key, found a length of 18446744073709551615"),
      refused_key("keys_empty_name", patched(text, uint64_t{0}), text, "#1",
                  ": wanted a key of at least one byte, found an empty key"),
      refused_key("keys_twice",
                  patched(good.characters("key.floats"),
                          std::array{'k', 'e', 'y', '.', 'n', 'u', 'm', 'b', 'e', 'r'}),
                  good.length("key.floats"), "'key.number'",
                  ": wanted each key once, found the key a second time"),
      refused_key("keys_cut_in_type", cut(good.value_type("key.words") + 3), good.value_type("key.words"),
                  "'key.words'", ": wanted 4 bytes for the value's type, found 3 bytes left in the file"),
      refused_key("keys_unknown_type", patched(good.value_type("key.number"), uint32_t{13}),
                  good.value_type("key.number"), "'key.number'",
                  ": wanted a value type from 0 (u8) to 12 (f64), found type 13"),
      refused_key("keys_text_beyond_file", patched(good.value("key.text"), uint64_t{500}),
                  good.value("key.text") + 8, "'key.text'",
                  ": wanted 500 bytes for a string, found " + left_after_text),
      refused_key("keys_text_of_2_48", patched(good.value("key.text"), uint64_t{1} << 48),
                  good.value("key.text"), "'key.text'",
                  ": wanted at most 1073741824 bytes for a string, found a length of 281474976710656"),
      refused_key("keys_number_beyond_file",
                  Image(gguf::Writer().set("key.number", uint8_t{1})).put(24 + 8 + 10, uint32_t{10}),
                  24 + 8 + 10 + 4, "'key.number'",
                  ": wanted 8 bytes for the value, found 1 bytes left in the file"),
      refused_key("keys_array_of_arrays", patched(good.element_type("key.floats"), uint32_t{9}),
                  good.element_type("key.floats"), "'key.floats'",
                  ": wanted an array of numbers, bools or strings, found an array of arrays"),
      refused_key("keys_array_unknown_element", patched(good.element_type("key.floats"), uint32_t{77}),
                  good.element_type("key.floats"), "'key.floats'",
                  ": wanted a value type from 0 (u8) to 12 (f64), found type 77"),
      refused_key("keys_cut_in_element_type", cut(good.element_type("key.words") + 2),
                  good.element_type("key.words"), "'key.words'",
                  ": wanted 4 bytes for the array's element type, found 2 bytes left in the file"),
      refused_key("keys_cut_in_count", cut(good.count("key.words") + 7), good.count("key.words"),
                  "'key.words'", ": wanted 8 bytes for the array's length, found 7 bytes left in the file"),
      refused_key("keys_array_of_2_40", patched(good.count("key.floats"), uint64_t{1} << 40),
                  good.count("key.floats"), "'key.floats'",
                  ": wanted an array of at most 1073741824 elements, found 1099511627776"),
      refused_key("keys_array_of_2_62", patched(good.count("key.floats"), uint64_t{1} << 62),
                  good.count("key.floats"), "'key.floats'",
                  ": wanted an array of at most 1073741824 elements, found 4611686018427387904"),
      refused_key("keys_array_beyond_file", patched(good.count("key.floats"), uint64_t{1} << 30),
                  good.elements("key.floats"), "'key.floats'",
                  ": wanted 4294967296 bytes for the value, found " +
                      std::to_string(end - good.elements("key.floats")) + " bytes left in the file"),
      refused_key("keys_words_beyond_file", patched(good.count("key.words"), uint64_t{1} << 30),
                  good.elements("key.words"), "'key.words'",
                  ": wanted 1073741824 strings, found 32 bytes left in the file"),
      refused_key("keys_word_beyond_file", patched(good.elements("key.words"), uint64_t{200}),
                  good.elements("key.words") + 8, "'key.words'",
                  ": wanted 200 bytes for a string, found 24 bytes left in the file"),
      refused_key("keys_cut_in_word", cut(end - 1), end - 5, "'key.words'",
                  ": wanted 5 bytes for a string, found 4 bytes left in the file"),
  };
}

std::vector<Case> alignment_cases() {
  constexpr char kKey[] = "general.alignment";
  constexpr char kWanted[] =
      ", key 'general.alignment': wanted a u32 that is a power of two of at most 2097152, found ";
  const std::vector<std::byte> data(40, std::byte{7});
  const auto with_alignment = [&](uint32_t alignment) {
    gguf::Writer writer;
    writer.set_alignment(alignment);
    writer.add_tensor("tensor.one", ElementType::kI8, {2, 20}, data);
    writer.add_tensor("tensor.two", ElementType::kI8, {40}, data);
    return Image(writer);
  };
  const Image good = with_alignment(64);
  const auto patched = [&](std::string file, uint32_t value, const std::string& found) {
    return refused(std::move(file), Image(good).put(good.value(kKey), value), good.value(kKey),
                   kWanted + found);
  };
  const auto retyped = [&](std::string file, const Image& image, const std::string& type) {
    return refused(std::move(file), image, image.value(kKey), kWanted + ("a value of type " + type));
  };
  return {
      accepted("alignment_1", with_alignment(1)),
      accepted("alignment_64", good),
      patched("alignment_0", 0, "0"),
      patched("alignment_3", 3, "3"),
      patched("alignment_2_22", 1u << 22, "4194304"),
      patched("alignment_2_31", 1u << 31, "2147483648"),
      retyped("alignment_as_i32", Image(good).put(good.value_type(kKey), uint32_t{5}), "i32"),
      retyped("alignment_as_string", Image(gguf::Writer().set(kKey, "32")), "string"),
      refused(
          "alignment_of_another_file", Image(good).put(good.value(kKey), uint32_t{128}),
          good.data_offset("tensor.two"),
          ", tensor 'tensor.two': wanted an offset that is a multiple of the alignment 128, found offset 64"),
  };
}

}  // namespace tenon::gguf_corpus
