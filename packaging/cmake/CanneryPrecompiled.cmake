# SPDX-License-Identifier: Apache-2.0
# Headers that are parsed once for many targets. Parsing is a third to three quarters of a cold build.
# Only if CANNERY_TOGETHER is on: `dev` and packaging/lint.sh find missing includes.

set(CANNERY_PRECOMPILED_STD
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem>
  <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string>
  <string_view> <thread> <unordered_map> <utility> <variant> <vector>)
set(CANNERY_PRECOMPILED_QT
  <QAbstractTableModel> <QCoreApplication> <QDateTime> <QDir> <QFile> <QHash> <QJsonArray>
  <QJsonDocument> <QJsonObject> <QList> <QPointer> <QSet> <QString> <QStringList> <QThreadPool>
  <QTimer>)
set(CANNERY_PRECOMPILED_WIDGETS
  <QAction> <QApplication> <QBoxLayout> <QComboBox> <QEvent> <QFileDialog> <QHeaderView> <QLabel>
  <QLineEdit> <QMenu> <QPainter> <QPainterPath> <QScrollArea> <QStackedWidget>
  <QStyledItemDelegate> <QStyleOption> <QTableView> <QWidget>)

option(CANNERY_LIGHT_TESTS "Optimize the window and the tests lightly: quicker to build" OFF)

# cannery_optimize_lightly(<target> <name of cannery_precompiled>)
# Whoever reuses its headers must be compiled in the same way.
function(cannery_optimize_lightly target name)
  if(CANNERY_LIGHT_TESTS AND name MATCHES "_(models|window|tests)$")
    target_compile_options(${target} PRIVATE -Og)
  endif()
endfunction()

# cannery_precompiled(<name> library|program LIBRARIES <targets...> [DEFINITIONS <names...>]
#                     HEADERS <headers...>)
# The target whose headers others reuse (cannery_precompile). library or program: the kind of the
# others, because the two are compiled with different flags.
function(cannery_precompiled name kind)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;DEFINITIONS;HEADERS" ${ARGN})
  if(NOT CANNERY_TOGETHER)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  if(kind STREQUAL program)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
  else()
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${source})
    target_compile_options(${name} PRIVATE ${CANNERY_ENGINE_FLAGS})
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  cannery_optimize_lightly(${name} ${name})
endfunction()

# cannery_precompile(<target> <name of cannery_precompiled>)
function(cannery_precompile target name)
  if(CANNERY_TOGETHER)
    target_precompile_headers(${target} REUSE_FROM ${name})
    target_link_libraries(${target} PRIVATE fmt::fmt) # all of them hold it, with its definitions
    cannery_optimize_lightly(${target} ${name})
  endif()
endfunction()

# The same for a test. gcc 12 reports std::string's operator+ as out of bounds (gcc bug 105651),
# because it does not treat precompiled headers as system headers.
function(cannery_precompile_test target name)
  cannery_precompile(${target} ${name})
  if(CANNERY_TOGETHER AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE
      -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

# For the engine's rooms; for those that also use the schema; for the window below its widgets, and
# above; for tests of the engine and of the window.
function(cannery_precompiled_headers)
  cannery_precompiled(precompiled_engine library
    LIBRARIES fmt::fmt tl::expected
    HEADERS ${CANNERY_PRECOMPILED_STD} <fmt/core.h> <tl/expected.hpp>)
  cannery_precompiled(precompiled_schema library
    LIBRARIES fmt::fmt tl::expected core_spec_proto
    HEADERS ${CANNERY_PRECOMPILED_STD} <fmt/core.h> <tl/expected.hpp> <core/spec/experiment.pb.h>)
  if(CANNERY_WORKBENCH)
    cannery_precompiled(precompiled_models library
      LIBRARIES fmt::fmt tl::expected Qt6::Gui
      DEFINITIONS QT_NO_KEYWORDS QT_NO_CAST_TO_ASCII
      HEADERS ${CANNERY_PRECOMPILED_STD} ${CANNERY_PRECOMPILED_QT} <fmt/core.h> <tl/expected.hpp>)
    cannery_precompiled(precompiled_window library
      LIBRARIES fmt::fmt tl::expected Qt6::Widgets
      DEFINITIONS QT_NO_KEYWORDS QT_NO_CAST_TO_ASCII
      HEADERS ${CANNERY_PRECOMPILED_STD} ${CANNERY_PRECOMPILED_QT} ${CANNERY_PRECOMPILED_WIDGETS}
              <fmt/core.h> <tl/expected.hpp>)
  endif()
  if(CANNERY_TESTS)
    cannery_precompiled(precompiled_tests program
      LIBRARIES fmt::fmt tl::expected Qt6::Test core_spec_proto
      DEFINITIONS QT_NO_KEYWORDS
      HEADERS ${CANNERY_PRECOMPILED_STD} <complex> <deque> <random> <fmt/core.h> <tl/expected.hpp>
              <QTest> <QTemporaryDir> <QFile> <QDir> <core/spec/experiment.pb.h>
              <google/protobuf/text_format.h>)
    if(CANNERY_WORKBENCH)
      cannery_precompiled(precompiled_window_tests program
        LIBRARIES fmt::fmt tl::expected Qt6::Test Qt6::Widgets
        DEFINITIONS QT_NO_KEYWORDS QT_NO_CAST_TO_ASCII
        HEADERS ${CANNERY_PRECOMPILED_STD} ${CANNERY_PRECOMPILED_QT} ${CANNERY_PRECOMPILED_WIDGETS}
                <fmt/core.h> <tl/expected.hpp> <QSignalSpy> <QTemporaryDir> <QTest>)
    endif()
  endif()
endfunction()
