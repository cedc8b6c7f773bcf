#include "tests/contracts/evidence.h"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <type_traits>

#include "tenon/arch/architecture.h"
#include "tenon/cpu/backend.h"
#include "tenon/op/attention.h"
#include "tenon/op/build.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/gather.h"
#include "tenon/op/paged_attention.h"
#include "tenon/plan/plan.h"
#include "tests/contracts/evidence_run.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/state_forms.h"

namespace tenon::contracts {

struct Subject::Parts {
  const fixtures::Fixture* fixture = nullptr;
  Owner owner = Owner::kStateless;
  std::unique_ptr<decoder::Decoder> decoder;
  std::unique_ptr<ir::Model> model;
};

namespace {

template <class T>
T checked(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

std::vector<ir::Node*> nodes(const ir::Model& model, std::string_view op) {
  std::vector<ir::Node*> out;
  for (ir::Node* const node : model.topological_order()) {
    if (node->is(op)) out.push_back(node);
  }
  return out;
}

// Every reader of `old` but `user` reads `value`.
void replace_but(ir::Model& model, ir::Value old, ir::Value value, const ir::Node& user) {
  for (const ir::Use& use : std::vector<ir::Use>(old.uses().begin(), old.uses().end())) {
    if (use.user != &user) checked(model.set_input(*use.user, use.input, value));
  }
}

void halve_last_scores(ir::Model& model) {
  ir::Node& last = *nodes(model, "Attention").back();
  auto attributes = last.attributes_as<op::AttentionAttributes>();
  attributes.scale /= 2;
  with_attributes(model, last, attributes.clone());
}

void swap_halves_of_heads(ir::Model& model) {
  for (ir::Node* const rope : nodes(model, "Rope")) {
    const int64_t size = rope->port_type(0).dim(-1).value();
    std::vector<int64_t> order(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) order[static_cast<size_t>(i)] = (i + size / 2) % size;
    op::Builder build(model, rope->name() + ".swapped");
    op::GatherAttributes along_heads;
    along_heads.axis = 3;
    const ir::Value swapped =
        checked(build.add(op::gather_op(), {rope->output(0), build.integers(order)}, along_heads));
    replace_but(model, rope->output(0), swapped, swapped.node());
  }
}

void take_attention_apart(ir::Model& model) {
  checked(decompose(model, "Attention"));
  for (ir::Node* const node : nodes(model, "PagedAttention")) {
    op::Builder build(model, node->name() + ".twice");
    auto attributes = node->attributes_as<op::PagedAttentionAttributes>();
    const std::vector<ir::Value> inputs(node->inputs().begin(), node->inputs().end());
    const ir::Value again = checked(build.add(op::paged_attention_op(), inputs, attributes));
    const ir::Value sum = checked(build.add(op::add_op(), {node->output(0), again}));
    replace_but(model, node->output(0), checked(build.add(op::multiply_op(), {sum, build.scalar(0.5)})),
                sum.node());
  }
}

void leave_an_input(ir::Model& model) {
  ir::ParameterAttributes attributes;
  attributes.name = "left_over";
  attributes.type = {ElementType::kI64, {1}};
  checked(model.add_parameter(std::move(attributes)));
}

// The faults of numbers and layout are put in before an owner has the caches, the others behind.
std::vector<ir::Pass> passes_of(Owner owner, int fault) {
  const auto kind = static_cast<Kind>(fault);
  std::vector<ir::Pass> out = {fault_pass([=](ir::Model& model) {
    if (kind == Kind::kNumbers) halve_last_scores(model);
    if (kind == Kind::kLayout) swap_halves_of_heads(model);
  })};
  for (ir::Pass& pass : owner_passes(owner)) out.push_back(std::move(pass));
  out.push_back(fault_pass([=](ir::Model& model) {
    if (kind == Kind::kLowering) take_attention_apart(model);
    if (kind == Kind::kPorts) leave_an_input(model);
  }));
  return out;
}

std::unique_ptr<decoder::Decoder> decoder_of(const fixtures::ModelSpec& spec) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(fixtures::make_model(spec).to_bytes());
  return checked(arch::build_decoder(checked(gguf::File::parse(*bytes, bytes)),
                                     {.cache_element = ElementType::kF32, .context = 64}));
}

// Of one row: sum of squared differences over sum of squares.
double error_of(std::span<const double> found, std::span<const double> expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double error = 0, scale = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += (found[i] - expected[i]) * (found[i] - expected[i]);
    scale += expected[i] * expected[i];
  }
  return error / scale;
}

std::string difference(std::string_view what, const std::multiset<std::string>& found,
                       const std::multiset<std::string>& expected) {
  std::vector<std::string> more, less;
  std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(), std::back_inserter(more));
  std::set_difference(expected.begin(), expected.end(), found.begin(), found.end(), std::back_inserter(less));
  std::string out;
  for (const std::string& line : more) out += std::string(what) + " not wanted: " + line + "\n";
  for (const std::string& line : less) out += std::string(what) + " missing: " + line + "\n";
  return out;
}

}  // namespace

Subject::Subject(const fixtures::Fixture& fixture, Owner owner, int fault) {
  auto parts = std::make_unique<Parts>();
  parts->fixture = &fixture;
  parts->owner = owner;
  parts->decoder = decoder_of(fixture.spec);
  parts->model = std::make_unique<ir::Model>(checked(try_convert(*parts->decoder, passes_of(owner, fault))));
  parts_ = std::move(parts);
}

Subject::~Subject() = default;

std::string Subject::check(Kind kind, const std::string& runtime) const {
  switch (kind) {
    case Kind::kPorts:
      return ports();
    case Kind::kNumbers:
      return numbers(runtime);
    case Kind::kLayout:
      return layout(runtime);
    case Kind::kLowering:
      return lowering();
  }
  throw std::invalid_argument("[Subject::check] no such kind");
}

std::string Subject::ports() const {
  std::multiset<std::string> inputs, outputs;
  for (const ir::Node* node : parts_->model->parameters()) {
    const auto& attributes = node->attributes_as<ir::ParameterAttributes>();
    inputs.insert(attributes.name + " " + attributes.type.to_string());
  }
  for (const ir::Node* node : parts_->model->results()) {
    outputs.insert(node->attributes_as<ir::ResultAttributes>().name + " " +
                   node->input(0).type().to_string());
  }
  return difference("input", inputs, expected_inputs(parts_->owner, parts_->fixture->spec)) +
         difference("output", outputs, expected_outputs(parts_->owner, parts_->fixture->spec));
}

std::string Subject::numbers(const std::string& runtime) const {
  constexpr double kLargestError = 1e-7;  // E3's, of every row
  const std::vector<std::vector<double>> expected = captured_logits(parts_->fixture->name);
  OwnedRun run(*parts_->model, runtime);
  std::string out;
  size_t end = 0;
  for (const std::vector<int32_t>& step : steps_of(*parts_->fixture)) {
    const std::vector<double> logits = run.step(step).at("logits").values();
    end += step.size();
    const size_t width = expected[0].size(), rows = logits.size() / width;  // GenAI's: the last token's
    for (size_t row = 0; row < rows; ++row) {
      const size_t token = end - rows + row;
      const double error = error_of(std::span(logits).subspan(row * width, width), expected.at(token));
      if (!(error <= kLargestError))
        out += "logits of token " + std::to_string(token) + ": NMSE " + std::to_string(error) + "\n";
    }
  }
  return end == expected.size() ? out : out + "a capture of another length\n";
}

std::string Subject::layout(const std::string& runtime) const {
  OwnedRun run(*parts_->model, runtime);
  for (const std::vector<int32_t>& step : steps_of(*parts_->fixture)) (void)run.step(step);
  std::string out;
  for (const auto& [cache, rows] : written_rows(*parts_->decoder, *parts_->fixture))
    out += misplaced_rows(parts_->owner, run.outputs(), cache, rows);
  return out;
}

std::string Subject::lowering() const {
  const auto backend = checked(cpu::make_backend(1));
  plan::PlanOptions options;
  for (const auto& [name, bounds] : parts_->model->symbols()) options.symbols[name] = {1, 64};
  const auto plan = checked(plan::make_plan(*parts_->model, backend->target(), options));
  std::string out;
  for (const plan::StepList& list : plan->lists) {
    const auto count = [&](std::string_view op) {
      return std::count_if(list.steps.begin(), list.steps.end(), [&](const auto& s) { return s.op == op; });
    };
    const auto fused = count("Attention") + count("PagedAttention");
    if (fused != parts_->fixture->spec.layers) out += std::to_string(fused) + " fused attentions\n";
    if (const auto routers = parts_->fixture->spec.experts > 0 ? parts_->fixture->spec.layers : 0;
        count("Softmax") != routers)
      out += std::to_string(count("Softmax") - routers) + " loose Softmax\n";
  }
  return plan->lists.empty() ? "an empty plan\n" : out;
}

}  // namespace tenon::contracts
