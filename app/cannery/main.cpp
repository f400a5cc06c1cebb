#include "app/cannery/program.h"

#include <csignal>
#include <malloc.h>

int main(int argc, char** argv)
{
    // A reader that went away (`cannery runs | head`) ends the write, not the program.
    std::signal(SIGPIPE, SIG_IGN);
    // Each further arena of glibc reserves 64 MB of address space, for threads (the control
    // service's too) that hardly allocate: a limit on the address space would end a small training.
    mallopt(M_ARENA_MAX, 2);
    return static_cast<int>(
        cannery::app::runProgram(std::vector<std::string>(argv + 1, argv + argc)));
}
