// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/instructions.h"

#if CANNERY_X86_64_V3

#include "kernels/onednn/session.h"

#include <sys/mman.h>

// Two functions of OpenMP's runtime, which threads Debian's oneDNN. The header with them belongs to
// the compiler, and Clang's is in a package of its own.
extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int count);
}

namespace cannery::kernels::onednn {

OneThread::OneThread() : m_before(omp_get_max_threads())
{
    omp_set_num_threads(1);
}

OneThread::~OneThread()
{
    omp_set_num_threads(m_before);
}

dnnl_engine_t engine()
{
    static const Engine engine = made<Engine>(dnnl_engine_create, dnnl_cpu, std::size_t{0});
    return engine.get();
}

Attributes attributesWithCallersMemory()
{
    Attributes attributes = made<Attributes>(dnnl_primitive_attr_create);
    if (attributes == nullptr || dnnl_primitive_attr_set_scratchpad_mode(
                                     attributes.get(), dnnl_scratchpad_mode_user) != dnnl_success) {
        return {};
    }
    return attributes;
}

bool hasRoomForCode()
{
    /// What the library compiles for a primitive, and more than that.
    constexpr std::size_t kCodeBytes = std::size_t{8} << 20U;
    void* room = mmap(nullptr, kCodeBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, kCodeBytes) == 0;
}

Memory memoryOf(const Layout& layout)
{
    return made<Memory>(dnnl_memory_create, layout.get(), engine(),
                        static_cast<void*>(DNNL_MEMORY_NONE));
}

bool pointTo(const Memory& memory, const float* data)
{
    return dnnl_memory_set_data_handle(memory.get(), const_cast<float*>(data)) == dnnl_success;
}

} // namespace cannery::kernels::onednn

#endif
