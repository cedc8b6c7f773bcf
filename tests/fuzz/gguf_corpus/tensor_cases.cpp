#include "tests/fuzz/gguf_corpus/cases.h"

namespace tenon::gguf_corpus {

namespace {

constexpr char kOne[] = "tensor.one", kTwo[] = "tensor.two";

// Two tensors of 3 x 8 f32 (96 bytes) and 10 i8 (10 bytes, 22 of padding).
Image tensors() {
  gguf::Writer writer;
  writer.set("general.architecture", "llama");
  writer.add_tensor(kOne, ElementType::kF32, {3, 8}, std::vector<std::byte>(96, std::byte{1}));
  writer.add_tensor(kTwo, ElementType::kI8, {10}, std::vector<std::byte>(10, std::byte{2}));
  return Image(writer);
}

Case refused_tensor(std::string file, const Image& image, size_t offset, const std::string& tensor,
                    const std::string& rest, std::string code = "invalid file") {
  return refused(std::move(file), image, offset, ", tensor " + tensor + rest, std::move(code));
}

// Where the rank of "tensor.one" lies in a file without keys.
constexpr size_t kFirstRank = Image::kEnd + 8 + 10;

// A file of one tensor with the given ne and type id, and without its data.
Image undersized(const std::vector<int64_t>& ne, uint32_t type) {
  gguf::Writer writer;
  writer.add_tensor(kOne, ElementType::kI8, std::vector<int64_t>(ne.size(), 0), [](std::span<std::byte>) {});
  Image image(writer);
  for (size_t i = 0; i < ne.size(); ++i) image.put(image.extent(kOne, i), ne[i]);
  return image.put(image.tensor_type(kOne), type);
}

}  // namespace

std::vector<Case> tensor_cases() {
  const Image good = tensors();
  const auto patched = [&](size_t at, auto value) { return Image(good).put(at, value); };
  const std::string long_name(64, 'n');
  gguf::Writer long_named, longest_named;
  long_named.add_tensor(long_name, ElementType::kF32, {2}, std::vector<std::byte>(8));
  longest_named.add_tensor(long_name.substr(1), ElementType::kF32, {2}, std::vector<std::byte>(8));
  gguf::Writer empty;
  empty.add_tensor(kOne, ElementType::kF32, {4, 0, 2}, std::span<const std::byte>());
  gguf::Writer scalar;
  scalar.add_tensor(kOne, ElementType::kF32, {}, std::vector<std::byte>(4));
  const size_t name_two = good.length(kTwo);
  return {
      accepted("tensors", good),
      accepted("tensors_zero_extent", Image(empty)),
      accepted("tensors_scalar", Image(scalar)),
      accepted("tensors_name_of_63", Image(longest_named)),
      refused_tensor("tensors_name_of_64", Image(long_named), 24, "'" + long_name + "'",
                     ": wanted a name of 1 to 63 bytes, found 64 bytes"),
      refused_tensor("tensors_name_beyond_file", patched(name_two, uint64_t{5000}), name_two + 8, "#1",
                     ": wanted 5000 bytes for the tensor's name, found"),
      refused_tensor(
          "tensors_name_of_2_48", patched(name_two, uint64_t{1} << 48), name_two, "#1",
          ": wanted at most 1073741824 bytes for the tensor's name, found a length of 281474976710656"),
      refused_tensor("tensors_empty_name", patched(name_two, uint64_t{0}), name_two, "#1",
                     ": wanted a name of 1 to 63 bytes, found an empty name"),
      refused_tensor("tensors_twice", patched(good.characters(kTwo) + 7, std::array{'o', 'n', 'e'}), name_two,
                     "'tensor.one'", ": wanted each tensor name once, found the name a second time"),
      refused_tensor("tensors_rank_5", patched(good.rank(kTwo), uint32_t{5}), good.rank(kTwo), "'tensor.two'",
                     ": wanted at most 4 dimensions, found 5"),
      refused_tensor("tensors_cut_in_name_length", Image(good).cut(name_two + 4), name_two, "#1",
                     ": wanted 8 bytes for the tensor's name, found 4 bytes left in the file"),
      refused_tensor("tensors_cut_in_rank", Image(good).cut(good.rank(kTwo) + 1), good.rank(kTwo),
                     "'tensor.two'",
                     ": wanted 4 bytes for the number of dimensions, found 1 bytes left in the file"),
      refused_tensor("tensors_cut_in_extent", Image(good).cut(good.extent(kTwo, 0) + 6), good.extent(kTwo, 0),
                     "'tensor.two'", ": wanted 8 bytes for an extent, found 6 bytes left in the file"),
      refused_tensor("tensors_cut_in_type", Image(good).cut(good.tensor_type(kTwo)), good.tensor_type(kTwo),
                     "'tensor.two'",
                     ": wanted 4 bytes for the tensor's type, found 0 bytes left in the file"),
      refused_tensor("tensors_cut_in_offset", Image(good).cut(good.data_offset(kTwo) + 7),
                     good.data_offset(kTwo), "'tensor.two'",
                     ": wanted 8 bytes for the offset of the tensor's data, found 7 bytes left"),
      refused_tensor("tensors_negative_extent", patched(good.extent(kOne, 1), int64_t{-1}),
                     good.extent(kOne, 1), "'tensor.one'", ": wanted an extent of 0 or more, found -1"),
      refused_tensor("tensors_2_66_elements", undersized({int64_t{1} << 33, int64_t{1} << 33}, 24),
                     kFirstRank, "'tensor.one'",
                     ": wanted fewer than 2^63 elements, found extents whose product is beyond that"),
      refused_tensor("tensors_2_66_elements_and_a_zero",
                     undersized({int64_t{1} << 33, int64_t{1} << 33, 0}, 24), kFirstRank, "'tensor.one'",
                     ": wanted fewer than 2^63 elements, found extents whose product is beyond that"),
      refused_tensor("tensors_2_65_bytes", undersized({int64_t{1} << 31, int64_t{1} << 31}, 27), kFirstRank,
                     "'tensor.one'", ": wanted fewer than 2^63 bytes, found extents that need more"),
      // 2^64 - 16 bytes: rounding up to the alignment would wrap to 0.
      refused_tensor("tensors_padding_wraps", undersized({4, (1 << 30) - 1, (1 << 30) + 1}, 0), kFirstRank,
                     "'tensor.one'", ": wanted fewer than 2^63 bytes, found extents that need more"),
  };
}

std::vector<Case> tensor_type_cases() {
  struct Row {
    uint32_t id;
    std::string name, successor;
  };
  const Row removed[] = {{4, "q4_2", "q4_0"},          {5, "q4_3", "q4_1"},
                         {31, "q4_0_4_4", "q4_0"},     {32, "q4_0_4_8", "q4_0"},
                         {33, "q4_0_8_8", "q4_0"},     {36, "iq4_nl_4_4", "iq4_nl"},
                         {37, "iq4_nl_4_8", "iq4_nl"}, {38, "iq4_nl_8_8", "iq4_nl"}};
  const Row unsupported[] = {{19, "iq1_s", ""}, {29, "iq1_m", ""}, {40, "nvfp4", ""}};
  const auto typed = [](uint32_t id) { return undersized({256, 2}, id); };
  const size_t at = typed(0).tensor_type(kOne);
  std::vector<Case> out = {
      refused_tensor("type_43", typed(43), at, "'tensor.one'", ": wanted a known tensor type, found type 43"),
      refused_tensor("type_minus_1", typed(UINT32_MAX), at, "'tensor.one'",
                     ": wanted a known tensor type, found type 4294967295"),
      refused_tensor("type_row_of_33", undersized({33, 2}, 8), kFirstRank, "'tensor.one'",
                     ": wanted rows of a multiple of 32 elements for q8_0, found rows of 33"),
      // 64 elements, but in rows of 4.
      refused_tensor("type_row_of_4", undersized({4, 16}, 2), kFirstRank, "'tensor.one'",
                     ": wanted rows of a multiple of 32 elements for q4_0, found rows of 4"),
      refused_tensor("type_quantised_scalar", undersized({}, 12), kFirstRank, "'tensor.one'",
                     ": wanted rows of a multiple of 256 elements for q4_k, found rows of 1"),
  };
  for (const Row& row : removed) {
    out.push_back(refused_tensor(
        "type_removed_" + row.name, typed(row.id), at, "'tensor.one'",
        ": wanted a tensor type that GGUF still has, found " + row.name + " (type " + std::to_string(row.id) +
            "), which was removed from GGUF (convert the model again, to " + row.successor + ")",
        "unsupported"));
  }
  for (const Row& row : unsupported) {
    out.push_back(refused_tensor("type_unsupported_" + row.name, typed(row.id), at, "'tensor.one'",
                                 ": wanted a tensor type that this build runs, found " + row.name +
                                     " (type " + std::to_string(row.id) +
                                     ") (quantise the model to one of f32, ",
                                 "unsupported"));
  }
  return out;
}

std::vector<Case> tensor_data_cases() {
  const Image good = tensors();
  const size_t offset_one = good.data_offset(kOne), offset_two = good.data_offset(kTwo);
  const size_t data = good.size() - 128, data_two = data + 96;  // 96 bytes and 10 padded to 32
  const auto moved = [&](std::string file, size_t at, const std::string& tensor, uint64_t offset,
                         const std::string& rest) {
    return refused_tensor(std::move(file), Image(good).put(at, offset), at, tensor,
                          rest + ", found offset " + std::to_string(offset));
  };
  const std::string misaligned = ": wanted an offset that is a multiple of the alignment 32";
  const std::string not_96 = ": wanted offset 96, where the tensor before it ends";
  const auto cut = [&](std::string file, size_t size, size_t at, const std::string& tensor,
                       const std::string& rest) {
    return refused_tensor(std::move(file), Image(good).cut(size), at, tensor, rest);
  };
  gguf::Writer two;
  for (const char* name : {kOne, kTwo})
    two.add_tensor(name, ElementType::kI8, {0}, std::span<const std::byte>());
  constexpr int64_t kHuge = 0x7fffffffffffffc0;
  Image huge(two);
  huge.put(huge.extent(kOne, 0), kHuge).put(huge.extent(kTwo, 0), kHuge);
  huge.put(huge.data_offset(kTwo), kHuge);
  gguf::Writer odd_end;
  odd_end.add_tensor("t", ElementType::kF32, {0}, std::span<const std::byte>());
  const size_t table_end = 24 + 8 + 1 + 4 + 8 + 4 + 8;
  return {
      accepted("data_cut_in_last_padding", Image(good).cut(data_two + 10)),
      moved("data_offset_33", offset_one, "'tensor.one'", 33, misaligned),
      moved("data_offset_minus_1", offset_two, "'tensor.two'", UINT64_MAX, misaligned),
      moved("data_first_not_at_0", offset_one, "'tensor.one'", 32,
            ": wanted offset 0, where the tensor before it ends"),
      moved("data_overlap", offset_two, "'tensor.two'", 64, not_96),
      moved("data_hole", offset_two, "'tensor.two'", 128, not_96),
      moved("data_offset_2_40", offset_two, "'tensor.two'", uint64_t{1} << 40, not_96),
      moved("data_offset_wraps", offset_two, "'tensor.two'", UINT64_MAX - 31, not_96),
      refused_tensor("data_sum_beyond_2_63", huge, huge.data_offset(kTwo), "'tensor.two'",
                     ": wanted fewer than 2^63 bytes of tensor data, found tensors that need more"),
      cut("data_cut_by_1", data_two + 9, data_two, "'tensor.two'",
          ": wanted 10 bytes of data, found 9 bytes left in the file" + std::string(kTruncated)),
      cut("data_cut_by_half", data + 48, data, "'tensor.one'",
          ": wanted 96 bytes of data, found 48 bytes left"),
      cut("data_missing", data, data, "'tensor.one'",
          ": wanted 96 bytes of data, found 0 bytes left in the file"),
      refused_tensor("data_start_beyond_file", Image(odd_end).cut(table_end), 64, "'t'",
                     ": wanted 0 bytes of data, found 0 bytes left in the file"),
  };
}

}  // namespace tenon::gguf_corpus
