// A pass of one's own, run by the conversion between the translators and the built-in lowerings: own_pass
// MODEL
//
// It takes cache writes before make_stateful can: every second layer's caches become a ring of 256 rows that
// the program owns, all others become variables of the model. docs/dev/add_a_pass.md goes through it.
#include <tenon/arch/architecture.h>
#include <tenon/pass/pipeline.h>
#include <tenon/pass/state/stateful.h>

#include <iostream>
#include <set>

namespace {

using tenon::ir::Node;

// The caches that some SetRows writes, of layers with an odd number.
std::set<std::string> caches_of_odd_layers(const tenon::ir::Model& model) {
  std::set<std::string> out;
  for (const Node* node : model.topological_order()) {
    if (!node->is("SetRows") || !node->input(2).node().is("Parameter")) continue;
    const auto& cache = node->input(2).node().attributes_as<tenon::ir::ParameterAttributes>();
    if (cache.layer % 2 == 1) out.insert(cache.name);
  }
  return out;
}

// Marks them as rings: whoever binds them evicts. Says why it leaves the others alone.
tenon::ir::Pass ring_every_second_layer() {
  return {"ring_every_second_layer",
          [](tenon::ir::Model& model, tenon::ir::PassContext& context) -> tenon::Result<bool> {
            const std::set<std::string> rings = caches_of_odd_layers(model);
            const std::vector<Node*> parameters = model.parameters();
            for (Node* const node : parameters) {
              auto attributes = node->attributes_as<tenon::ir::ParameterAttributes>();
              if (attributes.role != tenon::ir::ParameterRole::kCache) continue;
              if (!rings.contains(attributes.name)) {
                context.explain(attributes.name, "its layer has an even number");
                continue;
              }
              attributes.cache = tenon::ir::CacheKind::kWindow;
              attributes.window = 256;
              const tenon::Result<tenon::ir::Value> ring =
                  model.replace_parameter(*node, std::move(attributes));
              if (!ring.ok()) return ring.error();
              if (const tenon::Status moved = model.replace_uses(node->output(0), *ring); !moved.ok())
                return moved.error();
              model.erase(*node);
            }
            return !rings.empty();
          }};
}

// make_stateful for the rest: it refuses rings unless they are in skip_caches.
tenon::ir::Pass stateful_beside_rings() {
  return {"stateful_beside_rings", [](tenon::ir::Model& model, tenon::ir::PassContext& context) {
            tenon::pass::StatefulOptions options;
            options.skip_caches = caches_of_odd_layers(model);
            return tenon::pass::make_stateful(options).run(model, context);
          }};
}

int complain(const tenon::Error& error) {
  std::cerr << "own_pass: " << error.message() << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: own_pass MODEL\n";
    return 2;
  }
  const auto file = tenon::gguf::File::open(argv[1]);
  if (!file.ok()) return complain(file.error());
  const auto decoder = tenon::arch::build_decoder(*file);
  if (!decoder.ok()) return complain(decoder.error());

  tenon::pass::ConvertOptions options;
  options.extensions = {ring_every_second_layer(), stateful_beside_rings()};
  std::vector<tenon::ir::PassReport> reports;
  const auto model = tenon::pass::convert(**decoder, options, &reports);
  if (!model.ok()) return complain(model.error());

  for (const auto& report : reports)
    std::cout << report.name << (report.changed ? " changed the graph" : " changed nothing") << '\n';
  std::cout << model->count("ReadValue") << " variables, " << model->count("ScatterUpdate") << " rings\n";
  return model->count("ReadValue") > 0 && model->count("ScatterUpdate") > 0 ? 0 : 1;
}
