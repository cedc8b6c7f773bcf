// The subcommands of oracle. Each returns the exit status and throws on a bad call or an unreadable file.
#pragma once

#include <string>
#include <vector>

namespace tenon::oracle {

int run_capture(std::vector<std::string> arguments);   // single ops into a folder
int run_compare(std::vector<std::string> arguments);   // two folders of captures, bit for bit
int run_logits(std::vector<std::string> arguments);    // a model's logits of a few tokens, as a capture
int run_score(std::vector<std::string> arguments);     // a model's logits of thousands, as .npy files
int run_tokenize(std::vector<std::string> arguments);  // a text's tokens, as a .npy file
int run_tokens(std::vector<std::string> arguments);    // what a vocabulary makes of many texts, as JSON
int run_samplers(std::vector<std::string> arguments);  // what samplers leave of given logits, as JSON

}  // namespace tenon::oracle
