// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <command.hpp>
#include <nonsmooth/io/problem_file.hpp>

namespace nonsmooth::command_test {

struct Outcome {
  int code = -1;
  std::string out, err;
};

inline Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = command::run(arguments, out, err);
  return {code, out.str(), err.str()};
}

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder of its own, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "nonsmooth_command_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }

  std::string write(const std::string& name, const AnyProblem& problem, std::string_view title = {}) const {
    write_problem(problem, at(name), title);
    return at(name);
  }
  std::string write_text(const std::string& name, std::string_view text) const {
    std::ofstream(at(name), std::ios::binary) << text;
    return at(name);
  }

 private:
  std::filesystem::path path_;
};

/// z = (4/3, 7/3), w = 0: M is positive definite, so that is all.
inline AnyProblem interior_lcp() {
  return lcp::Problem{.M = Eigen::Matrix2d{{2, 1}, {1, 2}}, .q = Eigen::Vector2d{-5, -6}};
}
/// w = -z - 1 < 0 for every z >= 0: y = 1 proves that there is no solution.
inline AnyProblem infeasible_lcp() {
  return lcp::Problem{.M = Eigen::MatrixXd::Constant(1, 1, -1.0), .q = Eigen::VectorXd::Constant(1, -1.0)};
}

/// JSON as RFC 8259 has it, nothing more: no trailing comma, no NaN, no raw control character. The members of the
/// outermost object; texts decoded, everything else as it is written.
class Json {
 public:
  using Members = std::vector<std::pair<std::string, std::string>>;

  /// Nothing where the line is not one object.
  static std::optional<Members> object(std::string_view line) {
    Json json(line);
    Members members;
    if (!json.read_object(&members) || json.at_ != line.size()) return std::nullopt;
    return members;
  }

 private:
  explicit Json(std::string_view text) : text_(text) {}

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool digits() {
    const std::size_t start = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > start;
  }
  bool read_number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('-')) take('+');
      return digits();
    }
    return true;
  }
  bool read_string(std::string& value) {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') {
        value += c;
        continue;
      }
      constexpr std::string_view escapes = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
      if (const std::size_t kind = escapes.find(peek()); kind != std::string_view::npos) {
        value += meanings[kind];
        ++at_;
      } else if (take('u')) {
        unsigned code = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
          const std::size_t digit = std::string_view("0123456789abcdef").find(peek());
          if (digit == std::string_view::npos) return false;
          code = 16 * code + static_cast<unsigned>(digit);
        }
        if (code > 0x7F) return false;  // the writer escapes no other
        value += static_cast<char>(code);
      } else {
        return false;
      }
    }
    return false;
  }
  bool read_array() {
    if (!take('[')) return false;
    skip();
    if (take(']')) return true;
    do {
      std::string ignored;
      if (!read_value(ignored)) return false;
    } while (take(','));
    return take(']');
  }
  bool read_object(Members* members) {
    if (!take('{')) return false;
    skip();
    if (take('}')) return true;
    do {
      skip();
      std::string key, value;
      if (!read_string(key)) return false;
      skip();
      if (!take(':') || !read_value(value)) return false;
      if (members) members->emplace_back(key, value);
    } while (take(','));
    return take('}');
  }
  bool read_value(std::string& value) {
    skip();
    const std::size_t start = at_;
    bool valid = false;
    if (peek() == '"') {
      valid = read_string(value);
    } else {
      valid = peek() == '{'   ? read_object(nullptr)
              : peek() == '[' ? read_array()
                              : take("true") || take("false") || take("null") || read_number();
      value = text_.substr(start, at_ - start);
    }
    skip();
    return valid;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Of one line; its end may follow.
inline std::map<std::string, std::string> members(const std::string& line) {
  const auto object = Json::object(std::string_view(line).substr(0, line.find('\n')));
  if (!object) return {};
  return {object->begin(), object->end()};
}

}  // namespace nonsmooth::command_test
