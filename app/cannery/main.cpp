#include "app/cannery/program.h"

#include <csignal>

int main(int argc, char** argv)
{
    // A reader that went away (`cannery runs | head`) ends the write, not the program.
    std::signal(SIGPIPE, SIG_IGN);
    return static_cast<int>(
        cannery::app::runProgram(std::vector<std::string>(argv + 1, argv + argc)));
}
