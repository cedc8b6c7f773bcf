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

Result<std::optional<text::ChatTemplate>> load_template(const gguf::File& file,
                                                        std::vector<std::string>& notes) {
  if (!file.metadata().contains("tokenizer.chat_template")) return std::optional<text::ChatTemplate>();
  TENON_ASSIGN(const std::string_view source, file.metadata().string("tokenizer.chat_template"));
  Result<text::ChatTemplate> parsed = text::ChatTemplate::parse(std::string(source));
  if (!parsed.ok()) {
    notes.push_back("the chat template cannot be used: " + parsed.error().message());
    return std::optional<text::ChatTemplate>();
  }
  return std::optional<text::ChatTemplate>(std::move(parsed).value());
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
  const gguf::Metadata& metadata = state->file->metadata();
  TENON_ASSIGN(const std::string_view architecture, metadata.architecture());
  state->architecture = architecture;
  // The graph is built once here, so that a file which cannot run is refused at once and by name.
  TENON_ASSIGN(const ir::Model graph,
               convert_file(state->file, KvType::kF16, KvLayout::kInPlace, true, 0, nullptr));
  TENON_ASSIGN(const uint64_t context, metadata.unsigned_integer(state->architecture + ".context_length"));
  state->trained_context = static_cast<int64_t>(std::min<uint64_t>(context, INT32_MAX));
  const ir::Node* logits = graph.find_result("logits");
  state->vocabulary_rows = logits->input(0).type().dim(-1).value();
  for (const gguf::TensorInfo& tensor : state->file->tensors()) {
    int64_t count = 1;
    for (const int64_t extent : tensor.extents) count *= extent;
    state->parameter_count += count;
    state->weight_bytes += tensor.data.size();
  }

  TENON_ASSIGN(text::Tokenizer tokenizer, text::Tokenizer::load(*state->file));
  state->tokenizer.emplace(std::move(tokenizer));
  state->notes.assign(state->tokenizer->notes().begin(), state->tokenizer->notes().end());
  TENON_ASSIGN(state->chat_template, load_template(*state->file, state->notes));
  TENON_ASSIGN(state->backend, device->make(options.threads == 0 ? available_cores() : options.threads));
  if (options.progress) touch_pages(state->file->bytes(), options.progress);
  return Model(std::move(state));
}

const std::string& Model::architecture() const { return state_->architecture; }
int64_t Model::trained_context() const { return state_->trained_context; }
int64_t Model::vocabulary_size() const { return state_->tokenizer->vocabulary_size(); }
int64_t Model::vocabulary_rows() const { return state_->vocabulary_rows; }
int64_t Model::parameter_count() const { return state_->parameter_count; }
size_t Model::weight_bytes() const { return state_->weight_bytes; }
bool Model::has_chat_template() const { return state_->chat_template.has_value(); }
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
