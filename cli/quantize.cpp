// tenon quantize: a model file of another type from one that is there.
#include <memory>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/write_model.h"
#include "tenon/devices.h"
#include "tenon/rewrite/exact_model.h"

namespace tenon::cli {

namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  tenon quantize model.Q4_K_M.gguf exact.gguf F32    what the quantised weights stand for, exactly\n"
    "\n"
    "F32 is the only type so far. The bits are those of llama-quantize --allow-requantize.";

enum class Target { kF32 };

struct QuantizeFlags {
  std::string input;
  Target target = Target::kF32;
  OutputFlags output;
};

}  // namespace

Command add_quantize(CLI::App& program) {
  CLI::App* app =
      program.add_subcommand("quantize", "Writes a model with its weights stored as another type.");
  const auto flags = std::make_shared<QuantizeFlags>();
  app->add_option("MODEL", flags->input, "a .gguf file")->required()->type_name("");
  app->add_option("OUTPUT", flags->output.path, "the file to write")->required()->type_name("");
  add_choice(*app, "TYPE", flags->target, {{"F32", Target::kF32}}, "of the weights")->required();
  add_force_flag(*app, flags->output);
  app->footer(kFooter);
  return {app, [flags]() -> Status {
            TENON_ASSIGN(const std::shared_ptr<const gguf::File> file, gguf::File::open(flags->input));
            return write_model(rewrite::exact_model(file, available_cores()), flags->output);
          }};
}

}  // namespace tenon::cli
