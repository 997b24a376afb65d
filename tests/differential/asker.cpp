// SPDX-License-Identifier: Apache-2.0
#include "asker.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace differential {

constexpr int patience_ms = 30000; // a problem takes about a millisecond, starting the rival about a second

void Asker::start() {
    int down[2], up[2];
    if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC)) {
        std::perror("pipe");
        std::exit(2);
    }
    pid_ = fork();
    if (pid_ == 0) {
        dup2(down[0], STDIN_FILENO);
        dup2(up[1], STDOUT_FILENO);
        const int null = open("/dev/null", O_WRONLY); // a crashing rival prints its own obituary
        dup2(null, STDERR_FILENO);
        std::vector<char*> arguments;
        for (auto& word : command_) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    to_ = down[1];
    from_ = up[0];
    received_.clear();
    ++restarts_;
}

int Asker::stop() {
    if (pid_ < 0) return 0;
    close(to_);
    close(from_);
    int status = 0;
    for (int waited_ms = 0; waitpid(pid_, &status, WNOHANG) == 0; ++waited_ms) {
        if (waited_ms == 2000) kill(pid_, SIGKILL);
        usleep(1000);
    }
    pid_ = -1;
    return status;
}

bool Asker::write_lines(size_t from) {
    std::string text;
    for (size_t i = from; i < pending_.size(); ++i) text += pending_[i] + "\n";
    for (size_t done = 0; done < text.size();) {
        const ssize_t n = write(to_, text.data() + done, text.size() - done);
        if (n <= 0) return false;
        done += size_t(n);
    }
    return true;
}

bool Asker::read_line(std::string& line, bool& timed_out) {
    for (;;) {
        if (const auto end = received_.find('\n'); end != std::string::npos) {
            line = received_.substr(0, end);
            received_.erase(0, end + 1);
            return true;
        }
        pollfd ready{from_, POLLIN, 0};
        timed_out = poll(&ready, 1, patience_ms) == 0;
        if (timed_out) return false;
        char chunk[65536];
        const ssize_t n = read(from_, chunk, sizeof chunk);
        if (n <= 0) return false;
        received_.append(chunk, size_t(n));
    }
}

void Asker::send(const std::vector<std::string>& lines) {
    std::signal(SIGPIPE, SIG_IGN);
    if (pid_ < 0) start();
    pending_ = lines;
    write_lines(0); // a dead worker is noticed when its answers are missing
}

std::vector<std::string> Asker::receive() {
    std::vector<std::string> answers;
    while (answers.size() < pending_.size()) {
        std::string line;
        bool timed_out = false;
        if (read_line(line, timed_out)) {
            answers.push_back(line);
            continue;
        }
        if (timed_out) kill(pid_, SIGKILL);
        const int status = stop();
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
            std::fprintf(stderr, "differential: cannot run '%s'\n", command_.front().c_str());
            std::exit(2);
        }
        const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        answers.push_back(timed_out ? "hang" : "crash:" + std::to_string(signal));
        start();
        write_lines(answers.size());
    }
    pending_.clear();
    return answers;
}

std::vector<std::string> Asker::ask(const std::vector<std::string>& lines) {
    send(lines);
    return receive();
}

std::string Asker::ask_afresh(const std::string& line) {
    stop();
    return ask(line);
}

} // namespace differential
