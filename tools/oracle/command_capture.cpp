#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "commands.h"
#include "ops/ops.h"

namespace tenon::oracle {

int run_capture(std::vector<std::string> arguments) {
  if (arguments.empty()) throw std::invalid_argument("wants a folder");
  const std::filesystem::path folder = arguments[0];
  std::filesystem::create_directories(folder);
  const std::vector<std::string> wanted(arguments.begin() + 1, arguments.end());
  for (const std::string& name : wanted) {
    if (std::ranges::none_of(op_rows(), [&](const OpRow& row) { return row.file == name; })) {
      throw std::invalid_argument("no op " + name);
    }
  }
  for (const OpRow& row : op_rows()) {
    if (!wanted.empty() && std::ranges::find(wanted, row.file) == wanted.end()) continue;
    Capture capture{std::string(row.op)};
    row.fill(capture);
    const std::filesystem::path path = folder / (std::string(row.file) + ".gguf");
    capture.write(path, "oracle capture DIR " + std::string(row.file));
    std::printf("%s %ju bytes\n", path.c_str(), std::filesystem::file_size(path));
  }
  return 0;
}

}  // namespace tenon::oracle
