// tenon synth: writes a model file of a real model's shapes with random weights.
#include <memory>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/write_model.h"
#include "tenon/devices.h"
#include "tenon/synth/file_type.h"
#include "tenon/synth/models.h"
#include "tenon/synth/synth.h"

namespace tenon::cli {

namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  tenon synth llama-3.2-1b -o model.gguf                    as llama-quantize mixes Q4_K_M\n"
    "  tenon synth llama-3.1-8b -o model.gguf --type Q8_0\n"
    "  tenon synth qwen3-4b -o model.gguf --layers 4             four of its layers\n"
    "  tenon synth llama-tiny -o model.gguf                      small, for trying things out\n"
    "\n"
    "Speed and size are those of the real model; the text that it makes has no meaning.";

struct SynthFlags {
  synth::SynthOptions options;
  OutputFlags output;
};

template <class T, class Rows>
std::vector<std::pair<std::string, T>> choices_of(const Rows& rows) {
  std::vector<std::pair<std::string, T>> out;
  for (const auto& row : rows) out.emplace_back(row.name, T(row.name));
  return out;
}

}  // namespace

Command add_synth(CLI::App& program) {
  CLI::App* app = program.add_subcommand("synth", "Writes a model file of real shapes with random weights.");
  const auto flags = std::make_shared<SynthFlags>();
  add_choice(*app, "NAME", flags->options.model, choices_of<std::string>(synth::models()), "the model")
      ->required();
  add_output_flags(*app, flags->output);
  add_choice(*app, "--type", flags->options.type, choices_of<std::string>(synth::file_types()),
             "how the weights are stored")
      ->default_str(flags->options.type);
  app->add_option_function<std::string>(
         "--layers",
         [flags](const std::string& text) {
           flags->options.layers = parse_integer("--layers", text, {1, synth::kMostLayers});
         },
         "default: as many as the real model has")
      ->type_name("N");
  app->add_option_function<std::string>(
         "--seed",
         [flags](const std::string& text) {
           flags->options.seed = static_cast<uint64_t>(parse_integer("--seed", text, {0, INT64_MAX}));
         },
         "of the random weights: equal seeds give equal files")
      ->type_name("N")
      ->default_str(std::to_string(flags->options.seed));
  app->footer(kFooter);
  return {app, [flags]() -> Status {
            flags->options.threads = available_cores();
            TENON_ASSIGN(const gguf::Writer writer, synth::synthesise(flags->options));
            return write_model(writer, flags->output);
          }};
}

}  // namespace tenon::cli
