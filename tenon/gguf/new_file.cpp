#include "tenon/gguf/new_file.h"

#include <filesystem>

#include "tenon/base/file_writer.h"

namespace tenon::gguf {

namespace {

namespace fs = std::filesystem;

Status check_name(const std::string& path, bool replace) {
  std::error_code error;
  if (replace || !fs::is_regular_file(fs::symlink_status(path, error))) return {};
  return Error{ErrorCode::kIo, path, "a new file", "one that is there already",
               "choose another name, or replace it with --force"};
}

}  // namespace

Status write_new_file(const Writer& writer, const std::string& path, const NewFileOptions& options) {
  const uint64_t all = writer.file_bytes();
  TENON_RETURN_IF_ERROR(check_name(path, options.replace));
  TENON_ASSIGN(FileWriter file, FileWriter::create(path, all));
  uint64_t written = 0;
  bool wanted = true;
  writer.stream([&](std::span<const std::byte> bytes) {
    file.write(bytes);
    written += bytes.size();
    wanted = !options.progress || options.progress(written, all);
    return wanted && file.good();
  });
  if (!wanted) return Error{ErrorCode::kCancelled, path, "the whole file", "a request to stop", ""};
  return file.finish();
}

}  // namespace tenon::gguf
