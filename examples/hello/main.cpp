// Loads a checkpoint and streams its answer to a prompt: hello MODEL PROMPT
#include <tenon/tenon.h>

#include <iostream>
#include <string_view>

int complain(const tenon::Error& error) {
  std::cerr << "hello: " << error.message() << '\n';
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: hello MODEL PROMPT\n";
    return 2;
  }
  const auto model = tenon::Model::load(argv[1]);
  if (!model.ok()) return complain(model.error());
  auto session = model->open_session();
  if (!session.ok()) return complain(session.error());
  const auto answer = session->chat(argv[2], {.max_tokens = 32}, [](std::string_view text) {
    std::cout << text << std::flush;
    return true;  // false stops the answer
  });
  std::cout << '\n';
  return answer.ok() ? 0 : complain(answer.error());
}
