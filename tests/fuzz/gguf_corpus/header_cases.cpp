#include "tests/fuzz/gguf_corpus/cases.h"

namespace tenon::gguf_corpus {

namespace {

Image empty_file() { return Image(gguf::Writer()); }

Case version(std::string file, uint32_t number, const std::string& found, std::string code) {
  return refused(std::move(file), empty_file().put(Image::kVersion, number), Image::kVersion,
                 ": wanted GGUF version 2 or 3, little-endian, found " + found, std::move(code));
}

}  // namespace

std::vector<Case> header_cases() {
  const auto cut = [](std::string file, size_t size, size_t offset, const std::string& rest) {
    return refused(std::move(file), empty_file().cut(size), offset, rest);
  };
  return {
      accepted("header_only", empty_file()),
      accepted("header_only_version_2", Image(gguf::Writer(2))),
      cut("header_empty_file", 0, 0, ": wanted 4 bytes for the magic 'GGUF', found 0 bytes left in the file"),
      refused("header_bad_magic", empty_file().put(0, uint32_t{0x47475546}), 0,
              ": wanted the magic 'GGUF', found 'FUGG' (this is not a GGUF file)"),
      cut("header_cut_in_version", 6, 4, ": wanted 4 bytes for the version, found 2 bytes left in the file"),
      version("header_version_0", 0, "version 0", "invalid file"),
      version("header_version_1", 1, "version 1 (convert the model again with a current converter)",
              "unsupported"),
      version("header_version_future", 4, "version 4", "unsupported"),
      version("header_big_endian", 0x03000000,
              "a big-endian file (convert the model for little-endian machines)", "unsupported"),
      cut("header_cut_in_tensor_count", 12, 8,
          ": wanted 8 bytes for the number of tensors, found 4 bytes left"),
      refused("header_tensor_count", empty_file().put(Image::kTensorCount, uint64_t{1} << 60),
              Image::kTensorCount,
              ": wanted at most 0 tensors, which the rest of the file can hold, found 1152921504606846976"),
      refused("header_tensor_count_minus_1", empty_file().put(Image::kTensorCount, UINT64_MAX),
              Image::kTensorCount,
              ": wanted at most 0 tensors, which the rest of the file can hold, found 18446744073709551615"),
      cut("header_cut_in_key_count", 23, 16,
          ": wanted 8 bytes for the number of keys, found 7 bytes left in the file"),
      refused("header_key_count", empty_file().put(Image::kKeyCount, uint64_t{500000000}), Image::kKeyCount,
              ": wanted at most 0 keys, which the rest of the file can hold, found 500000000"),
      refused("header_key_count_minus_1", empty_file().put(Image::kKeyCount, UINT64_MAX), Image::kKeyCount,
              ": wanted at most 0 keys, which the rest of the file can hold, found 18446744073709551615"),
  };
}

}  // namespace tenon::gguf_corpus
