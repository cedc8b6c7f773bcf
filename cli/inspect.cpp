// tenon inspect: what is in a file and what Tenon makes of it.
#include <algorithm>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/inspection.h"
#include "cli/options.h"
#include "cli/output.h"
#include "tenon/compile.h"
#include "tenon/ir/text.h"

namespace tenon::cli {

namespace {

constexpr const char* kFooter =
    "Without --tensors, --graph, --plan or --explain-pass: an overview of the file, its metadata and the ops "
    "of its\n"
    "graph. With them: those parts alone.\n"
    "\n"
    "Examples:\n"
    "  tenon inspect model.gguf\n"
    "  tenon inspect model.gguf --tensors --json | jq '.tensors[].name'\n"
    "  tenon inspect model.gguf --graph stateless       before anyone decided who keeps the caches\n"
    "  tenon inspect model.gguf --plan -t 2             the kernels that run, and what did not fuse\n"
    "  tenon inspect model.gguf --explain-pass inplace_kv";

enum class GraphForm { kNone, kStateless, kStateful, kGenai, kPaged, kInPlace };

StateForm state_of(GraphForm form) {
  switch (form) {
    case GraphForm::kStateless:
      return StateForm::kStateless;
    case GraphForm::kStateful:
    case GraphForm::kGenai:
      return StateForm::kStateful;
    case GraphForm::kPaged:
      return StateForm::kPaged;
    default:
      return StateForm::kInPlace;
  }
}

GraphForm form_of(StateForm state) {
  switch (state) {
    case StateForm::kStateless:
      return GraphForm::kStateless;
    case StateForm::kStateful:
      return GraphForm::kStateful;
    case StateForm::kPaged:
      return GraphForm::kPaged;
    default:
      return GraphForm::kInPlace;
  }
}

struct InspectFlags {
  std::string path;
  ModelFlags model;
  bool json = false;
  bool tensors = false;
  bool plan = false;
  GraphForm graph = GraphForm::kNone;
  std::optional<std::string> pass;

  bool overview() const { return !tensors && !plan && graph == GraphForm::kNone && !pass; }
};

class Inspector {
 public:
  Inspector(const InspectFlags& flags, const Device& device, std::shared_ptr<const gguf::File> file)
      : flags_(flags), device_(device), file_(std::move(file)) {
    found_.path = flags.path;
    found_.file = file_;
    found_.overview = flags.overview();
    found_.tensors = flags.tensors;
  }

  // What was found stays also after an error: a file that cannot run can still be looked at.
  Status look() {
    if (flags_.overview()) TENON_RETURN_IF_ERROR(count_ops());
    if (flags_.graph != GraphForm::kNone) {
      TENON_ASSIGN(const ir::Model graph, convert(flags_.graph, nullptr));
      found_.graph = ir::print(graph);
    }
    if (flags_.pass) TENON_RETURN_IF_ERROR(explain_pass());
    if (flags_.plan) TENON_RETURN_IF_ERROR(make_plan());
    return {};
  }

  const Inspection& found() const { return found_; }

 private:
  Result<ir::Model> convert(GraphForm form, std::vector<ir::PassReport>* reports) const {
    return convert_file(
        file_,
        {.state = state_of(form),
         .kv_type = flags_.model.kv_type,
         .stateless_kv = device_.stateless_kv,
         .context = flags_.model.context,
         .genai = form == GraphForm::kGenai,
         .window_step =
             flags_.model.window_cache == WindowCache::kEvict ? SessionOptions().max_step_tokens : 0},
        reports);
  }

  Status count_ops() {
    for (const GraphForm form : {GraphForm::kStateless, GraphForm::kInPlace}) {
      TENON_ASSIGN(const ir::Model graph, convert(form, nullptr));
      for (const ir::Node* node : graph.topological_order()) {
        OpCounts& counts = found_.ops[std::string(node->op())];
        ++(form == GraphForm::kStateless ? counts.stateless : counts.inplace);
      }
    }
    return {};
  }

  Status explain_pass() {
    std::vector<ir::PassReport> reports;
    TENON_ASSIGN(const ir::Model graph, convert(form_of(flags_.model.state_form), &reports));
    std::string names;
    for (ir::PassReport& report : reports) {
      if (report.name == *flags_.pass) {
        found_.pass = std::move(report);
        return {};
      }
      (names += names.empty() ? "" : ", ") += report.name;
    }
    refuse("--explain-pass", "one of " + names, *flags_.pass);
  }

  Status make_plan() {
    TENON_ASSIGN(const std::shared_ptr<runtime::Backend> backend,
                 device_.make(static_cast<int>(flags_.model.threads), flags_.model.deterministic));
    SessionOptions options = flags_.model.session_options();
    if (options.context == 0) {
      TENON_ASSIGN(options.context, trained_context_of(*file_));
    }
    options.max_step_tokens = std::min(options.max_step_tokens, options.context);
    TENON_ASSIGN(Compiled compiled, compile(file_, device_, *backend, options));
    found_.plan = std::move(compiled.plan);
    return {};
  }

  const InspectFlags& flags_;
  const Device& device_;
  std::shared_ptr<const gguf::File> file_;
  Inspection found_;
};

Status inspect(const InspectFlags& flags) {
  TENON_ASSIGN(const Device* device, find_device(flags.model.device));
  TENON_ASSIGN(std::shared_ptr<const gguf::File> file, gguf::File::open(flags.path));
  Inspector inspector(flags, *device, std::move(file));
  const Status looked = inspector.look();
  const Inspection& found = inspector.found();
  TENON_RETURN_IF_ERROR(write_stdout(flags.json ? as_json(found) : as_text(found)));
  return looked;
}

}  // namespace

Command add_inspect(CLI::App& program) {
  CLI::App* app = program.add_subcommand("inspect", "Tells what is in a file and what becomes of it.");
  const auto flags = std::make_shared<InspectFlags>();
  app->add_option("MODEL", flags->path, "a .gguf file")->required()->type_name("");
  app->add_flag("--json", flags->json, "as JSON, arrays in full");
  app->add_flag("--tensors", flags->tensors, "every tensor with its type, extents and place");
  add_choice(
      *app, "--graph", flags->graph,
      {{"stateless", GraphForm::kStateless},
       {"stateful", GraphForm::kStateful},
       {"genai", GraphForm::kGenai},
       {"paged", GraphForm::kPaged},
       {"inplace", GraphForm::kInPlace}},
      "the converted graph in its text form. stateless: caches are inputs and outputs; stateful: variables; "
      "genai: those under the inputs of OpenVINO GenAI; paged: in blocks; inplace: written in place");
  app->add_flag("--plan", flags->plan, "the kernels of each step, the memory, and what did not fuse");
  app->add_option_function<std::string>(
         "--explain-pass", [flags](const std::string& name) { flags->pass = name; },
         "what a pass did, and why it left nodes alone")
      ->type_name("NAME");
  add_device_flags(*app, flags->model);
  add_context_flag(*app, flags->model, "--plan: what the model was trained for; --graph: open");
  add_cache_flags(*app, flags->model);
  app->footer(kFooter);
  return {app, [flags] { return inspect(*flags); }};
}

}  // namespace tenon::cli
