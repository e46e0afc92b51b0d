// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

#include "../number.hpp"
#include "fields.hpp"
#include "plain_text.hpp"

namespace nonsmooth::problem_files {
namespace {

class TextSink final : public FieldSink {
 public:
  explicit TextSink(std::string& text) : text_(text) {}

  void group(const std::string&) override {}  // names say it
  void set(const std::string& name, std::string_view kind) override { begin(name, "set") += std::string(kind) + '\n'; }

  void matrix(const std::string& name, const Eigen::MatrixXd& value) override {
    begin(name, "dense") += std::to_string(value.rows()) + ' ' + std::to_string(value.cols()) + '\n';
    for (Index i = 0; i < value.rows() && value.cols() > 0; ++i) line(value.row(i).transpose());
  }

  void matrix(const std::string& name, const Eigen::SparseMatrix<double>& value) override {
    begin(name, "sparse") += std::to_string(value.rows()) + ' ' + std::to_string(value.cols()) + ' ' +
                             std::to_string(value.nonZeros()) + '\n';
    for (Index j = 0; j < value.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(value, j); entry; ++entry) {
        text_ += std::to_string(entry.row()) + ' ' + std::to_string(j) + ' ' + number(entry.value()) + '\n';
      }
    }
  }

  void matrix(const std::string&, const BlockSparseMatrix&) override {
    throw InvalidArgument("write_problem: problem", "a problem in blocks", "a class whose matrices are not; use .h5");
  }

  void vector(const std::string& name, ConstVectorRef value) override {
    begin(name, "vector") += std::to_string(value.size()) + '\n';
    if (value.size() > 0) line(value);
  }

  void integers(const std::string& name, const std::vector<std::int64_t>& value) override {
    begin(name, "integers") += std::to_string(value.size()) + '\n';
    for (std::size_t i = 0; i < value.size(); ++i) {
      text_ += std::to_string(value[i]) + (i + 1 < value.size() ? ' ' : '\n');
    }
  }

  void words(const std::string& name, const std::vector<std::string_view>& value) override {
    begin(name, "words") += std::to_string(value.size()) + '\n';
    for (const std::string_view word : value) text_ += std::string(word) + '\n';
  }

 private:
  std::string& begin(const std::string& name, const char* type) { return text_ += name + ' ' + type + ' '; }
  void line(ConstVectorRef value) {
    for (Index i = 0; i < value.size(); ++i) {
      append_number(text_, value[i]);
      text_ += i + 1 < value.size() ? ' ' : '\n';
    }
  }

  std::string& text_;
};

}  // namespace

std::string plain_text_of(const AnyProblem& problem, std::string_view title) {
  std::string text = std::string(plain_text_mark) + ' ' + std::to_string(version_of(problem)) + '\n';
  for (std::size_t begin = 0; begin < title.size();) {
    const std::size_t end = std::min(title.find('\n', begin), title.size());
    text += "# " + std::string(title.substr(begin, end - begin)) + '\n';
    begin = end + 1;
  }
  text += "class " + std::string(to_string(class_of(problem))) + '\n';
  TextSink sink(text);
  write_fields(sink, problem);
  return text + std::string(plain_text_end) + '\n';
}

}  // namespace nonsmooth::problem_files
