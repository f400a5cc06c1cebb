# cannery_library(<group> SOURCES <files...> [PUBLIC <targets...>] [PRIVATE <targets...>])
# One static library for one group of the design. Headers are included from the repository root.
function(cannery_library group)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${group} STATIC ${ARG_SOURCES})
  target_include_directories(${group} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${group} PRIVATE -march=${CANNERY_ENGINE_ARCH} -mtune=generic)
  target_link_libraries(${group} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
endfunction()

# cannery_protobuf(<target> <proto files...>)
# Generated messages, compiled once at -O1 and without our warnings. Include them as
# "core/spec/experiment.pb.h".
function(cannery_protobuf target)
  add_library(${target} STATIC ${ARGN})
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf)
  target_include_directories(${target} SYSTEM PUBLIC ${PROJECT_BINARY_DIR}/generated)
  target_compile_options(${target} PRIVATE -O1 -w)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
  protobuf_generate(TARGET ${target} LANGUAGE cpp
                    IMPORT_DIRS ${PROJECT_SOURCE_DIR}
                    PROTOC_OUT_DIR ${PROJECT_BINARY_DIR}/generated)
endfunction()
