#include "cli/write_model.h"

#include <atomic>
#include <csignal>
#include <cstdio>

#include "cli/model_facts.h"
#include "cli/progress.h"
#include "tenon/gguf/new_file.h"

namespace tenon::cli {

namespace {

std::atomic<bool> interrupted;
static_assert(std::atomic<bool>::is_always_lock_free);

// While it lives, SIGINT and SIGTERM only ask.
class Interruptible {
 public:
  Interruptible() {
    interrupted = false;
    struct sigaction action = {};
    action.sa_handler = [](int) { interrupted = true; };
    sigaction(SIGINT, &action, &before_interrupt_);
    sigaction(SIGTERM, &action, &before_terminate_);
  }
  ~Interruptible() {
    sigaction(SIGINT, &before_interrupt_, nullptr);
    sigaction(SIGTERM, &before_terminate_, nullptr);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  struct sigaction before_interrupt_ = {}, before_terminate_ = {};
};

}  // namespace

void add_output_flags(CLI::App& app, OutputFlags& flags) {
  app.add_option("-o,--output", flags.path, "the file to write")->required()->type_name("FILE");
  add_force_flag(app, flags);
}

void add_force_flag(CLI::App& app, OutputFlags& flags) {
  app.add_flag("--force", flags.force, "replace a file of that name");
}

Status write_model(const gguf::Writer& writer, const OutputFlags& flags) {
  ProgressLine progress;
  const Interruptible interruptible;
  gguf::NewFileOptions options;
  options.replace = flags.force;
  options.progress = [&](uint64_t written, uint64_t all) {
    progress.show("writing " + printable(flags.path) + ": " + size_text(written) + " of " + size_text(all));
    return !interrupted;
  };
  TENON_RETURN_IF_ERROR(gguf::write_new_file(writer, flags.path, options));
  progress.clear();
  std::fprintf(stderr, "wrote %s: %s\n", printable(flags.path).c_str(),
               size_text(writer.file_bytes()).c_str());
  return {};
}

}  // namespace tenon::cli
