// SPDX-License-Identifier: Apache-2.0
// Bullet in a process of its own. Its builds of single and double precision have the same symbols, and the unique ones
// among them (static data of inline functions) are one for a whole process, however shared objects are opened.
#include "engines.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace engines {
namespace {

struct Request {
  enum class Kind : unsigned char { Step, SetVelocity, Motions, End };
  Kind kind = Kind::Step;
  std::uint64_t body = 0;
  Vector velocity{};
};
struct StepReply {
  double seconds = 0.0;
  long contacts = 0;
};

bool send_all(int to, const void* data, std::size_t size) {
  for (const auto* begin = static_cast<const char*>(data); size > 0;) {
    const ssize_t sent = send(to, begin, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    begin += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int from, void* data, std::size_t size) {
  for (auto* begin = static_cast<char*>(data); size > 0;) {
    const ssize_t received = recv(from, begin, size, 0);
    if (received <= 0) return false;
    begin += received;
    size -= static_cast<std::size_t>(received);
  }
  return true;
}

/// What the child does until it is told to end.
void serve(int parent, Engine& engine, std::size_t bodies) {
  std::vector<Motion> motions(bodies);
  Request request;
  while (receive_all(parent, &request, sizeof request)) {
    switch (request.kind) {
      case Request::Kind::Step: {
        StepReply reply;
        reply.seconds = engine.step();
        reply.contacts = engine.contacts();
        if (!send_all(parent, &reply, sizeof reply)) return;
        break;
      }
      case Request::Kind::SetVelocity:
        engine.set_velocity(request.body, request.velocity);
        break;
      case Request::Kind::Motions:
        for (std::size_t i = 0; i < bodies; ++i) motions[i] = engine.motion(i);
        if (!send_all(parent, motions.data(), bodies * sizeof(Motion))) return;
        break;
      case Request::Kind::End:
        return;
    }
  }
}

/// Forks; the child opens the shared object and calls run(function, socket), then ends. The child and the parent's
/// socket.
template <class Function, class Run>
std::pair<pid_t, int> in_process(const char* shared_object, const char* function, const Run& run) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("Bullet: no pair of sockets");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("Bullet: no process");
  if (child == 0) {
    close(ends[0]);
    void* library = dlopen(shared_object, RTLD_NOW | RTLD_LOCAL);
    if (void* found = library == nullptr ? nullptr : dlsym(library, function); found != nullptr)
      run(reinterpret_cast<Function>(found), ends[1]);
    _exit(0);  // nothing of the parent's is flushed or destroyed
  }
  close(ends[1]);
  return {child, ends[0]};
}

class Process final : public Engine {
 public:
  Process(const char* shared_object, const Scene& scene, Settings settings) : motions_(scene.bodies.size()) {
    using Maker = Engine* (*)(const Scene*, Settings);
    std::tie(child_, socket_) = in_process<Maker>(shared_object, "make_bullet", [&](Maker make, int parent) {
      const std::unique_ptr<Engine> engine(make(&scene, settings));
      serve(parent, *engine, scene.bodies.size());
    });
  }
  ~Process() override {
    Request end;
    end.kind = Request::Kind::End;
    (void)send_all(socket_, &end, sizeof end);
    close(socket_);
    waitpid(child_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  double step() override {
    StepReply reply;
    ask(Request{}, &reply, sizeof reply);
    known_ = false;
    contacts_ = reply.contacts;
    return reply.seconds;
  }
  void set_velocity(std::size_t body, const Vector& velocity) override {
    Request request;
    request.kind = Request::Kind::SetVelocity;
    request.body = body;
    request.velocity = velocity;
    ask(request, nullptr, 0);
    known_ = false;
  }
  [[nodiscard]] long contacts() const override { return contacts_; }
  [[nodiscard]] Motion motion(std::size_t body) const override {
    if (!known_) {
      Request request;
      request.kind = Request::Kind::Motions;
      ask(request, motions_.data(), motions_.size() * sizeof(Motion));
      known_ = true;
    }
    return motions_[body];
  }

 private:
  void ask(const Request& request, void* reply, std::size_t size) const {
    if (!send_all(socket_, &request, sizeof request) || !receive_all(socket_, reply, size))
      throw std::runtime_error("Bullet: its process has ended");
  }

  pid_t child_ = -1;
  int socket_ = -1;
  long contacts_ = 0;
  mutable std::vector<Motion> motions_;  // of all bodies, asked for once a step
  mutable bool known_ = false;
};

/// Where the build left it. Asked here, as a child that does not find it can but end.
const char* shared_object_of(Precision precision) {
  const char* path = precision == Precision::Double ? NONSMOOTH_BULLET_DOUBLE : NONSMOOTH_BULLET_SINGLE;
  if (access(path, R_OK) != 0) throw std::runtime_error("Bullet: there is no " + std::string(path));
  return path;
}

}  // namespace

std::unique_ptr<Engine> bullet(const Scene& scene, Settings settings, Precision precision) {
  return std::make_unique<Process>(shared_object_of(precision), scene, settings);
}

Contact bullet_contact(const Body& first, const Body& second, bool hulls, Precision precision) {
  using Finder = void (*)(const Body*, const Body*, bool, Contact*);
  const auto [child, socket] =
      in_process<Finder>(shared_object_of(precision), "find_bullet_contact", [&](Finder find, int parent) {
        Contact found;
        find(&first, &second, hulls, &found);
        (void)send_all(parent, &found, sizeof found);
      });
  Contact result;
  const bool answered = receive_all(socket, &result, sizeof result);
  close(socket);
  waitpid(child, nullptr, 0);
  if (!answered) throw std::runtime_error("Bullet: its process has ended");
  return result;
}

}  // namespace engines
