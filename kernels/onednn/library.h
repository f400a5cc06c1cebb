// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/dnnl/dnnl.h>

#include <cstddef>
#include <cstdint>
#include <memory>

/// For block_product.cpp alone: objects of oneDNN's C interface that destroy themselves, and all
/// that differs between its versions 2 and 3.
namespace cannery::kernels::onednn {

template <typename Object, dnnl_status_t (*Destroy)(Object*)>
struct Destroyer
{
    void operator()(Object* object) const { Destroy(object); }
};
template <typename Object, dnnl_status_t (*Destroy)(Object*)>
using Owned = std::unique_ptr<Object, Destroyer<Object, Destroy>>;

using Engine = Owned<dnnl_engine, dnnl_engine_destroy>;
using Stream = Owned<dnnl_stream, dnnl_stream_destroy>;
using Attributes = Owned<dnnl_primitive_attr, dnnl_primitive_attr_destroy>;
using PostOperations = Owned<dnnl_post_ops, dnnl_post_ops_destroy>;
using Description = Owned<dnnl_primitive_desc, dnnl_primitive_desc_destroy>;
using Primitive = Owned<dnnl_primitive, dnnl_primitive_destroy>;
using Memory = Owned<dnnl_memory, dnnl_memory_destroy>;

/// An object that a function of the C interface makes; null if it fails.
template <typename Owner, typename Function, typename... Arguments>
Owner made(Function create, Arguments... arguments)
{
    typename Owner::pointer object = nullptr;
    return create(&object, arguments...) == dnnl_success ? Owner(object) : Owner();
}

/// Where the numbers of a matrix are: a memory descriptor, which is a struct in version 2 and an
/// object of the library in version 3.
class Layout
{
public:
    Layout() = default;
    /// Not known if the library refuses it.
    static Layout ofMatrix(std::int64_t rows, std::int64_t cols, std::int64_t rowStep,
                           std::int64_t colStep);
    /// What a primitive of this description needs besides its arguments.
    static Layout ofScratch(const_dnnl_primitive_desc_t description);

#if DNNL_VERSION_MAJOR >= 3
    bool isKnown() const
    {
        return m_descriptor != nullptr;
    }
    const_dnnl_memory_desc_t get() const
    {
        return m_descriptor.get();
    }
#else
    bool isKnown() const
    {
        return m_isKnown;
    }
    const dnnl_memory_desc_t* get() const
    {
        return &m_descriptor;
    }
#endif
    /// Only if it is known.
    std::size_t bytes() const
    {
        return dnnl_memory_desc_get_size(get());
    }

private:
#if DNNL_VERSION_MAJOR >= 3
    Owned<dnnl_memory_desc, dnnl_memory_desc_destroy> m_descriptor;
#else
    dnnl_memory_desc_t m_descriptor{};
    bool m_isKnown = false;
#endif
};

inline Layout Layout::ofMatrix(std::int64_t rows, std::int64_t cols, std::int64_t rowStep,
                               std::int64_t colStep)
{
    const dnnl_dims_t sizes = {rows, cols};
    const dnnl_dims_t steps = {rowStep, colStep};
    Layout layout;
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_t descriptor = nullptr;
    if (dnnl_memory_desc_create_with_strides(&descriptor, 2, sizes, dnnl_f32, steps) ==
        dnnl_success) {
        layout.m_descriptor.reset(descriptor);
    }
#else
    layout.m_isKnown = dnnl_memory_desc_init_by_strides(&layout.m_descriptor, 2, sizes, dnnl_f32,
                                                        steps) == dnnl_success;
#endif
    return layout;
}

inline Layout Layout::ofScratch(const_dnnl_primitive_desc_t description)
{
    Layout layout;
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_t descriptor = nullptr;
    const const_dnnl_memory_desc_t scratch =
        dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
    if (scratch != nullptr && dnnl_memory_desc_clone(&descriptor, scratch) == dnnl_success) {
        layout.m_descriptor.reset(descriptor);
    }
#else
    const dnnl_memory_desc_t* scratch =
        dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
    layout.m_isKnown = scratch != nullptr;
    layout.m_descriptor = layout.m_isKnown ? *scratch : dnnl_memory_desc_t{};
#endif
    return layout;
}

/// The product left * right of known layouts; null if the library has none.
inline Description describeProduct(dnnl_engine_t engine, const Layout& left, const Layout& right,
                                   const Layout& dst, const_dnnl_primitive_attr_t attributes)
{
#if DNNL_VERSION_MAJOR >= 3
    return made<Description>(dnnl_matmul_primitive_desc_create, engine, left.get(), right.get(),
                             nullptr, dst.get(), attributes);
#else
    dnnl_matmul_desc_t product;
    if (dnnl_matmul_desc_init(&product, left.get(), right.get(), nullptr, dst.get()) !=
        dnnl_success) {
        return {};
    }
    return made<Description>(dnnl_primitive_desc_create, &product, attributes, engine, nullptr);
#endif
}

/// Whether the primitive's result will be added to dst.
inline bool appendSum(dnnl_post_ops_t operations)
{
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_post_ops_append_sum(operations, 1.0F, 0, dnnl_data_type_undef) == dnnl_success;
#else
    return dnnl_post_ops_append_sum(operations, 1.0F) == dnnl_success;
#endif
}

} // namespace cannery::kernels::onednn
