// What propriod estimates, in C++: its shared memory on the same machine, once every 10 ms.
//   g++ -std=gnu++17 robot_state.cpp -o robot_state && ./robot_state [NAME]      NAME as input.segment, with -state behind
#include <propriod/state.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

// A reader that closes itself, and opens again what another daemon has made.
class RobotState {
public:
  explicit RobotState(std::string name) : name_(std::move(name)) { open(); }
  ~RobotState() { propriod_state_close(&reader_); }
  RobotState(const RobotState &) = delete;
  RobotState &operator=(const RobotState &) = delete;

  struct Result {
    propriod_state state;
    propriod_centroidal centroidal;
  };

  // The newest result; none while there is no daemon.
  std::optional<Result> newest() {
    Result result;
    if (reader_.segment != nullptr &&
        propriod_state_read(&reader_, &result.state, &result.centroidal) == 0) {
      return result;
    }
    propriod_state_close(&reader_);
    try {
      open();
    } catch (const std::runtime_error &) {
    } // not yet
    return std::nullopt;
  }

private:
  void open() {
    char why[PROPRIOD_STATE_REASON];
    if (propriod_state_open(&reader_, name_.c_str(), why) != 0) {
      throw std::runtime_error(why);
    }
  }

  std::string name_;
  propriod_state_reader reader_{};
};

int main(int argc, char **argv) try {
  using namespace std::chrono_literals;
  RobotState robot(argc > 1 ? argv[1] : PROPRIOD_STATE_DEFAULT);
  for (int i = 0; i < 100; i++, std::this_thread::sleep_for(10ms)) {
    const auto result = robot.newest();
    if (!result || !(result->state.estimated & PROPRIOD_STATE_DDQ)) {
      continue; // nothing yet, or not all of it
    }
    const auto &state = result->state;
    double fastest = 0.0;
    for (uint64_t j = 0; j < state.n_joints; j++) {
      fastest = std::fmax(fastest, std::fabs(state.dq[j]));
    }
    std::printf("%llu: %llu joints, the first at %.4f +- %.4f rad, the fastest moves with %.3f rad/s\n",
                (unsigned long long)state.seq, (unsigned long long)state.n_joints, state.q[0],
                state.q_sd[0], fastest);
    std::fflush(stdout);
  }
  return 0;
} catch (const std::runtime_error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
