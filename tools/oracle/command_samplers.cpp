// What llama.cpp's samplers leave of given logits, and with which probabilities.
#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "commands.h"
#include "flags.h"
#include "llama.h"

namespace tenon::oracle {
namespace {

using Json = nlohmann::ordered_json;

struct Case {
  const char* name;
  int32_t vocabulary;
  int32_t top_k;
  float top_p, min_p, temperature;
};
constexpr Case kCases[] = {
    {"defaults", 49152, 40, 0.95f, 0.05f, 0.8f},
    {"top_k", 49152, 17, 1.0f, 0.0f, 1.0f},
    {"top_k_above_vocabulary", 20, 10'000'000, 1.0f, 0.0f, 1.0f},
    {"top_k_off", 20, 0, 1.0f, 0.0f, 0.7f},
    {"top_p", 49152, 0, 0.5f, 0.0f, 1.0f},
    {"top_p_wide", 2000, 0, 0.9f, 0.0f, 1.0f},
    {"top_p_after_top_k", 49152, 100, 0.6f, 0.0f, 1.3f},
    {"top_p_zero", 300, 0, 0.0f, 0.0f, 1.0f},
    {"top_p_two", 20, 0, 2.0f, 0.0f, 1.0f},
    {"min_p", 49152, 0, 1.0f, 0.2f, 1.0f},
    {"min_p_after_both", 49152, 200, 0.9f, 0.3f, 0.5f},
    {"min_p_one", 300, 0, 1.0f, 1.0f, 1.0f},
    {"hot", 2000, 8, 0.99f, 0.01f, 5.0f},
    {"cold", 2000, 8, 0.99f, 0.01f, 0.1f},
};

// Logits that a test can make again exactly: 24 u^8, where u in [0, 1) are the upper 23 bits of (id + 1)
// times Knuth's multiplicative hash, mod 2^32.
float logit(int32_t token) {
  const float u = static_cast<float>(static_cast<uint32_t>(token + 1) * 2654435761u >> 9) * 0x1p-23f;
  const float u2 = u * u;
  const float u4 = u2 * u2;
  return 24.0f * (u4 * u4);
}

struct Free {
  void operator()(llama_sampler* sampler) const { llama_sampler_free(sampler); }
};

Json capture(const Case& one) {
  std::vector<llama_token_data> data;
  for (int32_t token = 0; token < one.vocabulary; ++token) data.push_back({token, logit(token), 0});
  llama_token_data_array array = {data.data(), data.size(), -1, false};

  const std::unique_ptr<llama_sampler, Free> chain(
      llama_sampler_chain_init(llama_sampler_chain_default_params()));
  llama_sampler_chain_add(chain.get(), llama_sampler_init_top_k(one.top_k));
  llama_sampler_chain_add(chain.get(), llama_sampler_init_top_p(one.top_p, 1));
  llama_sampler_chain_add(chain.get(), llama_sampler_init_min_p(one.min_p, 1));
  llama_sampler_chain_add(chain.get(), llama_sampler_init_temp(one.temperature));
  llama_sampler_chain_add(chain.get(), llama_sampler_init_dist(1));
  llama_sampler_apply(chain.get(), &array);

  std::vector<llama_token_data> left(array.data, array.data + array.size);
  std::sort(left.begin(), left.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  Json tokens = Json::array(), probabilities = Json::array();
  for (const llama_token_data& token : left) {
    tokens.push_back(token.id);
    probabilities.push_back(token.p);
  }
  return {{"name", one.name},   {"vocabulary_size", one.vocabulary},
          {"top_k", one.top_k}, {"top_p", one.top_p},
          {"min_p", one.min_p}, {"temperature", one.temperature},
          {"tokens", tokens},   {"probabilities", probabilities}};
}

}  // namespace

int run_samplers(std::vector<std::string> arguments) {
  const Flags flags(arguments, {"-o"});
  if (!flags.positional().empty()) throw std::invalid_argument("wants nothing but -o");
  std::ofstream file(flags.text("-o"));
  file << "{\n \"revision\": \"llama-cpp-python 0.3.36\",\n \"command\": \"oracle samplers\",\n \"cases\": [";
  const char* separator = "\n  ";
  for (const Case& one : kCases) {
    file << separator << capture(one).dump();
    separator = ",\n  ";
  }
  file << "\n ]\n}\n";
  return 0;
}

}  // namespace tenon::oracle
