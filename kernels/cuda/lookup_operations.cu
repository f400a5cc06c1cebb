// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/lookup_gradient.h"
#include "kernels/accelerator/bodies/sparse.h"
#include "kernels/cuda/launch.cuh"

namespace cannery::kernels::cuda {

template void queue(CudaLauncher&, const Lookup&);
template void queue(CudaLauncher&, const LookupGradient&);
template void queue(CudaLauncher&, const LookupDenseGradient&);
template void queue(CudaLauncher&, const AddSparse&);
template void queue(CudaLauncher&, const ScatterAdd&);

} // namespace cannery::kernels::cuda
