// Loads a checkpoint and streams its answer to a prompt: hello MODEL PROMPT
#include <tenon/tenon.h>

#include <iostream>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: hello MODEL PROMPT\n";
    return 2;
  }
  const auto model = tenon::load(argv[1]);
  if (!model.ok()) {
    std::cerr << model.error().message() << '\n';
    return 1;
  }
  tenon::Session session(*model);
  const auto answer = session.chat(argv[2], {.max_tokens = 32}, [](std::string_view piece) {
    std::cout << piece << std::flush;
    return true;  // false stops the answer
  });
  std::cout << '\n';
  return answer.ok() ? 0 : 1;
}
