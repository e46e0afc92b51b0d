// SPDX-License-Identifier: Apache-2.0
// CVXOPT in one process of Python, cvxopt_process.py, which is asked program by program over a pair of sockets.
#include "optimizers.hpp"

#include <cstdint>
#include <cstdlib>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "one_sided.hpp"

namespace nonsmooth::optimizers {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

class Process {
 public:
  Process() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[1], STDIN_FILENO);
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      setenv("OPENBLAS_NUM_THREADS", "1", 1);
      execl(NONSMOOTH_PYTHON, NONSMOOTH_PYTHON, NONSMOOTH_CVXOPT_PROCESS, static_cast<char*>(nullptr));
      _exit(1);
    }
    close(ends[1]);
    socket_ = ends[0];
    std::int64_t ready = 0;
    runs_ = child_ > 0 && receive(&ready, sizeof ready) && ready == 1;
  }
  ~Process() {
    if (socket_ >= 0) close(socket_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  static Process& one() {
    static Process process;
    return process;
  }

  [[nodiscard]] bool runs() const { return runs_; }

  bool send_all(const std::vector<char>& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t sent = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return runs_ = false;
      at += static_cast<std::size_t>(sent);
    }
    return true;
  }

  bool receive(void* data, std::size_t size) {
    for (auto* begin = static_cast<char*>(data); size > 0;) {
      const ssize_t received = recv(socket_, begin, size, 0);
      if (received <= 0) return runs_ = false;
      begin += received;
      size -= static_cast<std::size_t>(received);
    }
    return true;
  }

 private:
  pid_t child_ = -1;
  int socket_ = -1;
  bool runs_ = false;
};

class Request {
 public:
  void put(std::int64_t value) { append(&value, sizeof value); }
  void put(double value) { append(&value, sizeof value); }
  void put(const double* values, Index size) { append(values, static_cast<std::size_t>(size) * sizeof(double)); }
  void put(const Triplets& entries, double factor) {
    put(static_cast<std::int64_t>(entries.size()));
    for (const auto& entry : entries) put(static_cast<std::int64_t>(entry.row()));
    for (const auto& entry : entries) put(static_cast<std::int64_t>(entry.col()));
    for (const auto& entry : entries) put(factor * entry.value());
  }
  void put(const Eigen::SparseMatrix<double>& matrix) {
    Triplets entries;
    for (Index j = 0; j < matrix.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, j); it; ++it)
        entries.emplace_back(static_cast<int>(it.row()), static_cast<int>(j), it.value());
    }
    put(entries, 1.0);
  }
  std::vector<char> bytes;

 private:
  void append(const void* data, std::size_t size) {
    const auto* begin = static_cast<const char*>(data);
    bytes.insert(bytes.end(), begin, begin + size);
  }
};

/// x, z of the m rows G x <= h, y of the p equations, in CVXOPT's signs.
struct Reply {
  std::int64_t status = 3;
  double time = 0.0;
  Eigen::VectorXd x, z, y;
};

/// `head`: what comes before the tolerance and the data.
Reply ask(const std::vector<std::int64_t>& head, double tolerance, const std::vector<char>& data, Index n, Index m,
          Index p) {
  Reply reply;
  Request request;
  for (const std::int64_t value : head) request.put(value);
  request.put(tolerance);
  Process& process = Process::one();
  if (!process.runs() || !process.send_all(request.bytes) || !process.send_all(data)) return reply;
  reply.x.resize(n);
  reply.z.resize(m);
  reply.y.resize(p);
  const auto fill = [&](Eigen::VectorXd& v) {
    return process.receive(v.data(), static_cast<std::size_t>(v.size()) * sizeof(double));
  };
  if (!process.receive(&reply.status, sizeof reply.status) || !process.receive(&reply.time, sizeof reply.time) ||
      !fill(reply.x) || !fill(reply.z) || !fill(reply.y))
    reply.status = 3;
  return reply;
}

Verdict verdict_of(std::int64_t status) {
  return status == 0   ? Verdict::Solved
         : status == 1 ? Verdict::Infeasible
         : status == 2 ? Verdict::Unbounded
                       : Verdict::None;
}

class QuadraticOne final : public Optimizer {
 public:
  QuadraticOne(const qp::SparseProblem& problem, bool dense) : rows_(problem), num_rows_(problem.num_rows()) {
    n_ = problem.num_unknowns();
    m_ = static_cast<Index>(rows_.d.size());
    p_ = static_cast<Index>(rows_.e.size());
    head_ = {0, n_, m_, p_, dense, m_, 0};
    data_.put(problem.Q);
    data_.put(problem.c.data(), n_);
    data_.put(rows_.C, -1.0);
    for (const double d : rows_.d) data_.put(-d);
    data_.put(rows_.E, 1.0);
    for (const double e : rows_.e) data_.put(e);
  }

  std::string name() const override { return "CVXOPT"; }
  bool repeats() const override { return true; }

  Answer solve(double tolerance) override {
    const Reply reply = ask(head_, tolerance, data_.bytes, n_, m_, p_);
    Answer answer{verdict_of(reply.status), reply.x, Eigen::VectorXd::Zero(num_rows_), reply.time};
    if (reply.z.size() != m_ || reply.y.size() != p_) return answer;
    for (Index i = 0; i < m_; ++i)
      OneSided::gather(rows_.inequalities[static_cast<std::size_t>(i)], reply.z[i], answer.y);
    for (Index i = 0; i < p_; ++i)
      OneSided::gather(rows_.equations[static_cast<std::size_t>(i)], -reply.y[i], answer.y);
    return answer;
  }

 private:
  OneSided rows_;
  Index n_ = 0, m_ = 0, p_ = 0, num_rows_ = 0;
  std::vector<std::int64_t> head_;
  Request data_;
};

class ConicOne final : public Optimizer {
 public:
  ConicOne(const cone_program::Problem& problem, bool dense)
      : n_(problem.num_unknowns()), m_(problem.num_rows()), p_(problem.num_equations()) {
    head_ = {1, n_, m_, p_, dense, problem.orthant, static_cast<std::int64_t>(problem.cones.size())};
    for (const Index size : problem.cones) head_.push_back(size);
    data_.put(problem.c.data(), n_);
    data_.put(problem.G);
    data_.put(problem.h.data(), m_);
    data_.put(problem.A);
    data_.put(problem.b.data(), p_);
  }

  std::string name() const override { return "CVXOPT"; }
  bool repeats() const override { return true; }

  Answer solve(double tolerance) override {
    const Reply reply = ask(head_, tolerance, data_.bytes, n_, m_, p_);
    Eigen::VectorXd multipliers(reply.y.size() + reply.z.size());
    multipliers << reply.y, reply.z;
    return {verdict_of(reply.status), reply.x, multipliers, reply.time};
  }

 private:
  Index n_, m_, p_;
  std::vector<std::int64_t> head_;
  Request data_;
};

}  // namespace

std::unique_ptr<Optimizer> cvxopt(const qp::SparseProblem& problem, bool dense) {
  return Process::one().runs() ? std::make_unique<QuadraticOne>(problem, dense) : nullptr;
}

std::unique_ptr<Optimizer> cvxopt(const cone_program::Problem& problem, bool dense) {
  return Process::one().runs() ? std::make_unique<ConicOne>(problem, dense) : nullptr;
}

}  // namespace nonsmooth::optimizers
