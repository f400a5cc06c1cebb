# SPDX-License-Identifier: Apache-2.0
# cannery_together(<target>)
# Compiles several files of the target at once if CANNERY_TOGETHER is on: headers take more than half
# of the time. No two files may then define the same local name, as the members of some families do.
# A private class may have members of types from its file's anonymous namespace.
function(cannery_together target)
  if(CANNERY_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    # Newer releases of CMake begin the first group with it, and all groups would be others.
    set_source_files_properties(
      ${CMAKE_CURRENT_BINARY_DIR}/${target}_autogen/mocs_compilation.cpp
      PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

set(CANNERY_ENGINE_FLAGS -march=${CANNERY_ENGINE_ARCH} -mtune=generic)

# cannery_library(<group> [ALONE] SOURCES <files...> [PUBLIC <targets...>] [PRIVATE <targets...>])
# A static library for one room. Headers are included from the repository root.
# ALONE: each file is compiled separately; see cannery_together.
function(cannery_library group)
  cmake_parse_arguments(ARG "ALONE" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${group} STATIC ${ARG_SOURCES})
  if(NOT ARG_ALONE)
    cannery_together(${group})
  endif()
  target_include_directories(${group} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${group} PRIVATE ${CANNERY_ENGINE_FLAGS})
  target_link_libraries(${group} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  if(group MATCHES "^(core_base|storage_)")
    cannery_precompile(${group} precompiled_engine)
  elseif(group MATCHES "^(core|app)_")
    cannery_precompile(${group} precompiled_schema)
  endif()
endfunction()

# cannery_protobuf(<target> [ROOT <folder> GENERATED <folder>] <proto files...>)
# Generated messages, compiled once at -O1, several files at once (protoc gives two tables the same
# name in every file) and without our warnings. Include them as "core/spec/experiment.pb.h". ROOT:
# the folder that file names are relative to; GENERATED: where the generated files go.
function(cannery_protobuf target)
  cmake_parse_arguments(ARG "" "ROOT;GENERATED" "" ${ARGN})
  set(protos ${ARG_UNPARSED_ARGUMENTS})
  if(NOT ARG_ROOT)
    set(ARG_ROOT ${PROJECT_SOURCE_DIR})
    set(ARG_GENERATED ${PROJECT_BINARY_DIR}/generated)
    file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    list(TRANSFORM protos PREPEND ${room}/)
  endif()
  list(TRANSFORM protos PREPEND ${ARG_ROOT}/ OUTPUT_VARIABLE files)
  set(outputs "")
  foreach(proto ${protos})
    string(REGEX REPLACE "\\.proto$" "" stem ${proto})
    list(APPEND outputs ${ARG_GENERATED}/${stem}.pb.cc ${ARG_GENERATED}/${stem}.pb.h)
  endforeach()
  file(MAKE_DIRECTORY ${ARG_GENERATED})
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND protobuf::protoc --proto_path=${ARG_ROOT} --cpp_out=${ARG_GENERATED} ${protos}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${files}
    VERBATIM)
  add_library(${target} STATIC ${outputs})
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12 UNITY_BUILD_UNIQUE_ID CANNERY_OF_FILE
    UNITY_BUILD_CODE_BEFORE_INCLUDE "#define CANNERY_JOIN_TEXT(a, b) a##b
#define CANNERY_JOIN(a, b) CANNERY_JOIN_TEXT(a, b)
#define schemas CANNERY_JOIN(schemas_, CANNERY_OF_FILE)
#define file_default_instances CANNERY_JOIN(file_default_instances_, CANNERY_OF_FILE)")
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf)
  target_include_directories(${target} SYSTEM PUBLIC ${ARG_GENERATED})
  # Fuzzing instruments only our own code, neither this nor protobuf itself.
  target_compile_options(${target} PRIVATE -O1 -w $<$<BOOL:${CANNERY_FUZZ}>:-fno-sanitize=all>)
endfunction()

# cannery_grpc(<target> <messages target> <proto>)
# The generated client and server of one service; for its messages use cannery_protobuf.
function(cannery_grpc target messages proto)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  file(RELATIVE_PATH room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  file(MAKE_DIRECTORY ${generated}/${room})
  get_filename_component(stem ${proto} NAME_WE)
  set(outputs ${generated}/${room}/${stem}.grpc.pb.cc ${generated}/${room}/${stem}.grpc.pb.h)
  set(plugin $<TARGET_FILE:gRPC::grpc_cpp_plugin>)
  if(CMAKE_CROSSCOMPILING)
    find_program(CANNERY_GRPC_PLUGIN grpc_cpp_plugin REQUIRED) # one that runs here
    set(plugin ${CANNERY_GRPC_PLUGIN})
  endif()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR} --grpc_out=${generated}
            --plugin=protoc-gen-grpc=${plugin} ${room}/${proto}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS ${proto}
    VERBATIM)
  add_library(${target} STATIC ${outputs})
  target_link_libraries(${target} PUBLIC ${messages} cannery_grpc_runtime)
  target_include_directories(${target} SYSTEM PUBLIC ${generated})
  target_compile_options(${target} PRIVATE -O1 -w)
endfunction()

# cannery_ui_library(<group> SOURCES <files...> [PUBLIC <targets...>] [PRIVATE <targets...>])
# A library that uses Qt: moc runs, and Qt's keywords are disabled.
function(cannery_ui_library group)
  cannery_library(${group} ${ARGN})
  cannery_moc(${group})
  if(Qt6::Widgets IN_LIST ARGN)
    cannery_precompile(${group} precompiled_window)
  else()
    cannery_precompile(${group} precompiled_models)
  endif()
  target_compile_definitions(${group} PUBLIC QT_NO_KEYWORDS QT_NO_CAST_TO_ASCII)
endfunction()
