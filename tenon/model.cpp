#include "tenon/model_state.h"

#include <algorithm>
#include <fstream>

namespace tenon {

namespace {

// Reads every page once, so that the first prompt does not wait for the disk.
void touch_pages(std::span<const std::byte> bytes, const std::function<void(double)>& progress) {
  constexpr size_t kPage = 4096, kReportEvery = size_t{16} << 20;
  volatile std::byte sink{};
  for (size_t at = 0; at < bytes.size(); at += kPage) {
    sink = bytes[at];
    if (at % kReportEvery == 0) progress(static_cast<double>(at) / static_cast<double>(bytes.size()));
  }
  static_cast<void>(sink);
  progress(1.0);
}

Result<text::ChatTemplate> parse_chat_template(const gguf::Metadata& metadata) {
  constexpr std::string_view kKey = "tokenizer.chat_template";
  if (!metadata.contains(kKey))
    return Error{ErrorCode::kUnsupported, std::string(kKey), "a chat template", "none", ""};
  TENON_ASSIGN(const std::string_view source, metadata.string(kKey));
  return text::ChatTemplate::parse(std::string(source));
}

Result<text::ChatTemplate> load_chat_template(const gguf::File& file) {
  Result<text::ChatTemplate> loaded = file.located(parse_chat_template(file.metadata()));
  if (loaded.ok()) return loaded;
  Error error = std::move(loaded).error();
  error.remedy = "use --raw (Session::complete) to continue a text instead";
  return error;
}

}  // namespace

Model::Model(std::shared_ptr<const State> state) : state_(std::move(state)) {}
Model::~Model() = default;
Model::Model(const Model&) = default;
Model& Model::operator=(const Model&) = default;

Result<Model> Model::load(const std::string& path, const LoadOptions& options) {
  TENON_ASSIGN(const Device* device, find_device(options.device));
  if (options.threads < 0) {
    return Error{ErrorCode::kInvalidArgument, "threads", "0 or more", std::to_string(options.threads), ""};
  }
  auto state = std::make_shared<State>();
  state->device = device;
  TENON_ASSIGN(state->file, gguf::File::open(path));
  // The graph is built once here, so that a file which cannot run is refused at once and by name.
  TENON_ASSIGN(const ir::Model graph, convert_file(state->file, {}, nullptr));
  TENON_ASSIGN(state->architecture, state->file->located(state->file->metadata().architecture()));
  TENON_ASSIGN(state->trained_context, trained_context_of(*state->file));
  const ir::Node* logits = graph.find_result("logits");
  state->vocabulary_rows = logits->input(0).type().dim(-1).value();
  for (const gguf::TensorInfo& tensor : state->file->tensors()) {
    int64_t count = 1;
    for (const int64_t extent : tensor.extents) count *= extent;
    state->parameter_count += count;
    state->weight_bytes += tensor.data.size();
  }

  TENON_ASSIGN(text::Tokenizer tokenizer, state->file->located(text::Tokenizer::load(*state->file)));
  state->tokenizer.emplace(std::move(tokenizer));
  state->notes.assign(state->tokenizer->notes().begin(), state->tokenizer->notes().end());
  state->chat_template = load_chat_template(*state->file);
  TENON_ASSIGN(state->backend, device->make(options.threads == 0 ? available_cores() : options.threads,
                                            options.deterministic));
  if (options.progress) touch_pages(state->file->bytes(), options.progress);
  return Model(std::move(state));
}

const std::string& Model::architecture() const { return state_->architecture; }
int64_t Model::trained_context() const { return state_->trained_context; }
int64_t Model::vocabulary_size() const { return state_->tokenizer->vocabulary_size(); }
int64_t Model::vocabulary_rows() const { return state_->vocabulary_rows; }
int64_t Model::parameter_count() const { return state_->parameter_count; }
size_t Model::weight_bytes() const { return state_->weight_bytes; }
bool Model::has_chat_template() const { return state_->chat_template.ok(); }
std::span<const std::string> Model::notes() const { return state_->notes; }

std::vector<int32_t> Model::tokenize(std::string_view text, bool special) const {
  return state_->tokenizer->encode(text, {.add_special = special, .parse_special = special});
}

std::string Model::detokenize(std::span<const int32_t> tokens) const {
  return state_->tokenizer->decode(tokens, true);
}

size_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") {
      size_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  }
  return 0;
}

}  // namespace tenon
