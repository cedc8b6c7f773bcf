// The cases of the GGUF corpus: each a small file and what the reader must say about it.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/gguf_corpus/image.h"

namespace tenon::gguf_corpus {

struct Case {
  std::string file;     // name in the corpus, without ".gguf"
  std::string query;    // "open", or an accessor and its key (tenon/gguf/corpus_test.cpp has the list)
  std::string code;     // "ok" or the error code's name
  std::string message;  // what Error::message() begins with
  Bytes bytes;
};

std::vector<Case> header_cases();
std::vector<Case> metadata_cases();
std::vector<Case> alignment_cases();
std::vector<Case> tensor_cases();
std::vector<Case> tensor_type_cases();
std::vector<Case> tensor_data_cases();
std::vector<Case> value_cases();

// How cases are written down.
inline constexpr char kTruncated[] = " (the file is cut short or damaged; fetch it again)";

inline Case accepted(std::string file, const Image& image) { return {file, "open", "ok", "", image.bytes()}; }

inline Case refused(std::string file, const Image& image, size_t offset, const std::string& rest,
                    std::string code = "invalid file") {
  return {file, "open", code, "offset " + std::to_string(offset) + rest, image.bytes()};
}

}  // namespace tenon::gguf_corpus
