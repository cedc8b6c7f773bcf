// Q2, Q3: weights run from the file's own blocks, each by its own type.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>
#include <map>

#include "tenon/gguf/writer.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"
#include "tests/support/model_run.h"

namespace tenon::contracts {
namespace {

const test::Breaker copied("Q2_second_form", "the backend prepares copies of the weights");
const test::Breaker unsaid("Q2_layout_unsaid", "the report names another layout than the file's");
const test::Breaker of_the_file("Q3_type_of_the_file",
                                "every matrix has the type that general.file_type names");

const test::Breaker packed_as_known("Q3_packing_of_64", "the bytes are those of groups of 64");

fixtures::ModelSpec mixed_spec(std::string_view name = "llama-mixed-types") {
  fixtures::ModelSpec spec = fixtures::fixture(name).spec;
  if (of_the_file.active()) spec.element_type = [](std::string_view) { return ElementType::kQ4_0; };
  return spec;
}

// A backend that tells which buffers it prepared.
class Recorder : public runtime::Backend {
 public:
  explicit Recorder(std::shared_ptr<runtime::Backend> inner) : inner_(std::move(inner)) {}

  struct Prepared {
    runtime::Buffer buffer;
    std::string layout;
  };
  const std::map<std::string, Prepared, std::less<>>& prepared() const { return prepared_; }

  std::string_view name() const override { return inner_->name(); }
  const plan::Target& target() const override { return inner_->target(); }
  int workers() const override { return inner_->workers(); }
  Result<runtime::Buffer> allocate(size_t bytes) override { return inner_->allocate(bytes); }
  Result<runtime::Buffer> prepare(const ir::ConstantAttributes& constant, std::string_view layout) override {
    TENON_ASSIGN(runtime::Buffer buffer, inner_->prepare(constant, layout));
    if (copied.active()) {
      TENON_ASSIGN(runtime::Buffer copy, inner_->allocate(buffer.size));
      std::memcpy(copy.data, buffer.data, buffer.size);
      buffer = copy;
    }
    if (!constant.weight.empty()) prepared_[constant.weight] = {buffer, std::string(layout)};
    return buffer;
  }
  Result<std::shared_ptr<const runtime::Program>> load(std::shared_ptr<const plan::Plan> plan) override {
    return inner_->load(std::move(plan));
  }

 private:
  std::shared_ptr<runtime::Backend> inner_;
  std::map<std::string, Prepared, std::less<>> prepared_;
};

TEST(Q2_Weights, LieInTheFilesOwnBytes) {
  const auto file = test::file_of(mixed_spec());
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    const auto recorder = std::make_shared<Recorder>(test::make_backend(device));
    test::open_run(file, recorder, test::exact_options());
    ASSERT_EQ(recorder->prepared().size(), file->tensors().size());
    for (const gguf::TensorInfo& tensor : file->tensors()) {
      const auto found = recorder->prepared().find(tensor.name);
      ASSERT_NE(found, recorder->prepared().end()) << tensor.name;
      EXPECT_EQ(found->second.buffer.data, tensor.data.data()) << tensor.name;
      EXPECT_EQ(found->second.layout, "file") << tensor.name;
    }
  }
}

TEST(Q2_Weights, AReportSaysPerTensorWhatWasDone) {
  const auto file = test::file_of(mixed_spec());
  const auto backend = test::make_backend(test::run_devices().back());
  plan::Plan plan = *test::open_run(file, backend, test::exact_options()).compiled.plan;
  if (unsaid.active()) {
    for (plan::Storage& storage : plan.storages) storage.layout = "";
  }
  const std::string report = plan::print(plan);
  for (const gguf::TensorInfo& tensor : file->tensors()) {
    const TensorType type{tensor.element, {tensor.extents.begin(), tensor.extents.end()}};
    const std::string line = "\n  " + std::string(tensor.name) + " " + type.to_string() + " file\n";
    EXPECT_NE(report.find(line), std::string::npos) << line;
  }
}

TEST(Q3_Types, AreEachTensorsOwn) {
  const auto file = test::file_of(mixed_spec());
  const auto plan =
      test::open_run(file, test::make_backend({"ref", ""}), test::exact_options()).compiled.plan;
  std::map<std::string, ElementType> types;
  for (const plan::Storage& storage : plan->storages) {
    if (storage.kind == plan::StorageKind::kConstant)
      types[storage.constant->weight] = storage.constant->type.element;
  }
  EXPECT_EQ(types.at("blk.0.ffn_down.weight"), ElementType::kQ6_K);
  EXPECT_EQ(types.at("blk.1.ffn_down.weight"), ElementType::kQ4_K);
  EXPECT_EQ(types.at("blk.0.attn_q.weight"), ElementType::kQ4_K);
  EXPECT_EQ(types.at("blk.0.attn_k.weight"), ElementType::kQ5_0);
  EXPECT_EQ(types.at("blk.0.attn_v.weight"), ElementType::kQ6_K);
  EXPECT_EQ(types.at("token_embd.weight"), ElementType::kQ8_0);
  EXPECT_EQ(types.at("blk.0.attn_norm.weight"), ElementType::kF32);
}

std::vector<float> floats(const gguf::File& file, std::string_view tensor) {
  const std::span<const std::byte> data = file.tensor(tensor).value()->data;
  std::vector<float> out(data.size() / sizeof(float));
  std::memcpy(out.data(), data.data(), data.size());
  return out;
}

std::vector<float> flat(const std::vector<std::vector<float>>& rows) {
  std::vector<float> out;
  for (const std::vector<float>& row : rows) out.insert(out.end(), row.begin(), row.end());
  return out;
}

// The judge is llama.cpp on the same weights dequantised to F32. The references decode the weights exactly.
// Kernels may round activations, as llama.cpp's do, and no worse.
class Q3_MixedTypes : public testing::TestWithParam<const char*> {};

TEST_P(Q3_MixedTypes, GiveTheLogitsOfTheExactModel) {
  const std::string name = GetParam();
  const fixtures::Fixture& fixture = fixtures::fixture(name);
  const auto golden = gguf::File::open(TENON_SOURCE_DIR "/tests/golden/logits/" + name + ".gguf").value();
  const std::vector<float> exact = floats(*golden, "exact"), quantised = floats(*golden, "logits");
  const double allowed = 1.05 * test::normalised_error(quantised, exact);
  const auto file = test::file_of(mixed_spec(name));
  for (const test::RunDevice& device : test::run_devices()) {
    test::ModelRun run = test::open_run(file, test::make_backend(device), test::exact_options());
    const double error = test::normalised_error(flat(run.logits(fixture.tokens, fixture.split)), exact);
    std::cout << device.title() << ": NMSE to the exact logits " << error << ", llama.cpp's own "
              << allowed / 1.05 << '\n';
    EXPECT_LE(error, device.name == "ref" ? 1e-7 : allowed) << device.title();
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Q3_MixedTypes, testing::Values("llama-mixed-types", "llama-few-bits"),
                         [](const auto& test) { return test.index == 0 ? "MixedTypes" : "FewBits"; });

// 2048 two-bit values are 576 bytes in groups of 64 and 544 in groups of 128, with the same type id.
TEST(Q3_TwoBits, PackedInOtherGroupsAreRefusedByTheTensorsExtent) {
  constexpr std::string_view kName = "packed.weight";
  constexpr int64_t kValues = 2048;
  const size_t size = packed_as_known.active() ? kValues / 64 * 18 : kValues / 128 * 34;
  gguf::Writer writer;
  writer.add_tensor(kName, ElementType::kI8, {static_cast<int64_t>(size)},
                    std::vector<std::byte>(size, std::byte{1}));
  writer.add_tensor("next.weight", ElementType::kF32, {8}, std::vector<std::byte>(32));
  std::vector<std::byte> bytes = writer.to_bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t extent = text.find(kName) + kName.size() + sizeof(uint32_t);  // the rank lies between
  const uint32_t type = *info(ElementType::kQ2_0).ggml_id;
  std::memcpy(&bytes[extent], &kValues, sizeof kValues);
  std::memcpy(&bytes[extent + sizeof kValues], &type, sizeof type);

  const auto file = gguf::File::parse(bytes);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().wanted, "offset 576, where the tensor before it ends");
  EXPECT_EQ(file.error().found, "offset 544");
}

}  // namespace
}  // namespace tenon::contracts
