// SPDX-License-Identifier: Apache-2.0
// A worker program on the other end of two pipes. It may crash or hang: the problem it died of is answered with
// `crash:SIGNAL` or `hang`, a new worker is started, and the rest of the batch goes there.
// Law: ask(lines) has as many answers as lines, in their order.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

namespace differential {

class Asker {
public:
    explicit Asker(std::vector<std::string> command) : command_(std::move(command)) {}
    Asker(const Asker&) = delete;
    Asker& operator=(const Asker&) = delete;
    ~Asker() { stop(); }

    void send(const std::vector<std::string>& lines); // at most 64 short lines: they must fit into a pipe
    std::vector<std::string> receive();
    std::vector<std::string> ask(const std::vector<std::string>& lines);
    std::string ask(const std::string& line) { return ask(std::vector<std::string>{line}).front(); }
    std::string ask_afresh(const std::string& line); // of a new process, which nothing asked before can have hurt
    int restarts() const { return restarts_; }

private:
    void start();
    int stop(); // the wait status of the process
    bool write_lines(size_t from);
    bool read_line(std::string& line, bool& timed_out);

    std::vector<std::string> command_, pending_;
    std::string received_;
    pid_t pid_ = -1;
    int to_ = -1, from_ = -1, restarts_ = -1;
};

} // namespace differential
