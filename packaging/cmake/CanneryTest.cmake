# SPDX-License-Identifier: Apache-2.0
# cannery_pascal_case(<variable> <words>)
# tst_foo_bar becomes TstFooBar.
function(cannery_pascal_case variable text)
  string(REPLACE "_" ";" words ${text})
  set(name "")
  foreach(word ${words})
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND name ${first}${rest})
  endforeach()
  set(${variable} ${name} PARENT_SCOPE)
endfunction()

# cannery_test(<name> [GUI] [FAULTS] [ALONE] [TIMEOUT seconds] SOURCES tst_a.cpp tst_b.cpp ...
#              LIBRARIES <targets...>)
# One test program per folder. tst_foo_bar.cpp has the class TstFooBar and ends with
# CANNERY_TEST(TstFooBar) and its .moc; the program runs the classes in order, or only the one named
# first on its command line. Tests in CANNERY_TESTS_THAT_READ_BYTES also run under AddressSanitizer
# and UBSan, those in CANNERY_TESTS_OF_THREADS under ThreadSanitizer:
# `cmake --build --preset tsan --target tests_of_threads`. GUI: with a widget application on the
# offscreen platform, fixed fonts and locale, and every Qt warning is a failure. FAULTS: it injects
# faults; `ctest -L faults` runs only these. ALONE: each file is compiled separately.
set(CANNERY_TESTS_THAT_READ_BYTES
    tst_core_spec tst_fuzz tst_storage_io tst_storage_tabular tst_storage_tf)
# (Without tests that use gRPC: ThreadSanitizer does not see that library's synchronization. For
# Protocol Buffers see CanneryOptions.cmake.)
set(CANNERY_TESTS_OF_THREADS
    tst_app_predict_library_threads tst_core_control_mailbox tst_core_coordinator_membership
    tst_core_data_threads tst_core_plan_threads tst_core_strategies_packs tst_core_train_threads tst_kernels tst_storage_runs tst_storage_tabular)
# In seconds. An emulator takes several times as long.
set(CANNERY_TEST_TIMEOUT 300)
if(CMAKE_CROSSCOMPILING_EMULATOR)
  set(CANNERY_TEST_TIMEOUT 1200)
endif()
add_custom_target(tests_that_read_bytes)
add_custom_target(tests_of_threads)

function(cannery_test name)
  cmake_parse_arguments(ARG "GUI;FAULTS;ALONE" "TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  set(runner $<IF:$<BOOL:${ARG_GUI}>,test_support_gui,test_support>)
  set(declarations "")
  set(rows "")
  foreach(source ${ARG_SOURCES})
    get_filename_component(stem ${source} NAME_WE)
    if(NOT stem MATCHES "^tst_")
      continue()
    endif()
    cannery_pascal_case(class ${stem})
    string(APPEND declarations "std::unique_ptr<QObject> make${class}();\n")
    string(APPEND rows "        {\"${class}\", make${class}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${name}_main.cpp CONTENT
"#include \"tests/support/test_main.h\"
@declarations@
int main(int argc, char** argv)
{
    return cannery::tests::runTests(argc, argv, {
@rows@    });
}
" @ONLY)
  add_executable(${name} ${ARG_SOURCES} ${CMAKE_CURRENT_BINARY_DIR}/${name}_main.cpp)
  cannery_moc(${name})
  # Empty, as tests include their own: nothing to precompile headers for.
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${name}_autogen/mocs_compilation.cpp
                              PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  if(NOT ARG_ALONE)
    cannery_together(${name})
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} ${runner} Qt6::Test)
  target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS)
  if(ARG_GUI)
    cannery_precompile_test(${name} precompiled_window_tests)
  else()
    cannery_precompile_test(${name} precompiled_tests)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  if(ARG_GUI)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "QT_QPA_PLATFORM=offscreen")
  endif()
  if(${name} IN_LIST CANNERY_TESTS_THAT_READ_BYTES)
    set_property(TEST ${name} APPEND PROPERTY LABELS reads_bytes)
    add_dependencies(tests_that_read_bytes ${name})
  endif()
  if(${name} IN_LIST CANNERY_TESTS_OF_THREADS)
    set_property(TEST ${name} APPEND PROPERTY LABELS threads)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
      "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan_suppressions.txt")
    add_dependencies(tests_of_threads ${name})
  endif()
  if(ARG_FAULTS)
    set_property(TEST ${name} APPEND PROPERTY LABELS faults)
  endif()
  if(ARG_TIMEOUT)
    # Long tests start first, so that they do not run alone at the end.
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT})
  else()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${CANNERY_TEST_TIMEOUT})
  endif()
endfunction()

# cannery_test_of_tables(<name> <Class>...)
# Also runs classes that read TensorFlow's tables (tests/golden/tables) with those in
# tests/golden/tables/second: other widths, counts, thresholds and steps.
function(cannery_test_of_tables name)
  foreach(class IN LISTS ARGN)
    add_test(NAME ${name}_second_tables_${class} COMMAND ${name} ${class})
    set_tests_properties(${name}_second_tables_${class} PROPERTIES
      ENVIRONMENT CANNERY_GOLDEN_TABLES=${PROJECT_SOURCE_DIR}/tests/golden/tables/second
      TIMEOUT ${CANNERY_TEST_TIMEOUT})
  endforeach()
endfunction()

# cannery_test_of_devices(<name> <Class>...)
# Also runs classes that test operations by the accelerator of CUDA: over the recording runtime and,
# where the plug-in is built, on a GPU. Without one they are skipped.
function(cannery_test_of_devices name)
  foreach(class IN LISTS ARGN)
    add_test(NAME ${name}_recorded_${class} COMMAND ${name} ${class})
    set_tests_properties(${name}_recorded_${class} PROPERTIES
      ENVIRONMENT CANNERY_TEST_DEVICE=recorded TIMEOUT ${CANNERY_TEST_TIMEOUT})
    if(TARGET cannery_cuda)
      add_dependencies(${name} cannery_cuda)
      add_test(NAME ${name}_gpu_${class} COMMAND ${name} ${class})
      set_tests_properties(${name}_gpu_${class} PROPERTIES
        ENVIRONMENT "CANNERY_TEST_DEVICE=gpu;CANNERY_CUDA_PLUGIN=$<TARGET_FILE:cannery_cuda>"
        LABELS gpu TIMEOUT ${CANNERY_TEST_TIMEOUT})
    endif()
  endforeach()
endfunction()

# cannery_test_in_german(<name> <Class>...)
# Also runs classes of a window's program with German numbers: 1.234,5.
function(cannery_test_in_german name)
  foreach(class IN LISTS ARGN)
    add_test(NAME ${name}_german_${class} COMMAND ${name} ${class})
    set_tests_properties(${name}_german_${class} PROPERTIES
      ENVIRONMENT "CANNERY_TEST_LOCALE=de_DE;QT_QPA_PLATFORM=offscreen"
      TIMEOUT ${CANNERY_TEST_TIMEOUT})
  endforeach()
endfunction()
