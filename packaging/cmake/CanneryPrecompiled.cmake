# SPDX-License-Identifier: Apache-2.0
# Headers that are read once for many targets. Parsing is a third to three quarters of a cold build.
# Only where CANNERY_TOGETHER is on: `dev` and packaging/lint.sh see what a file forgot to include.

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

# cannery_precompiled(<name> library|program LIBRARIES <targets...> [DEFINITIONS <names...>]
#                     HEADERS <headers...>)
# The target that others take their headers from (cannery_precompile). library or program: what the
# others are, since both are compiled with flags of their own.
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
endfunction()

# cannery_precompile(<target> <name of cannery_precompiled>)
function(cannery_precompile target name)
  if(CANNERY_TOGETHER)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# The same for a test. gcc 12 takes std::string's operator+ for an access out of bounds (gcc's bug
# 105651); it knows that the header is the system's only where it read it itself.
function(cannery_precompile_test target name)
  cannery_precompile(${target} ${name})
  if(CANNERY_TOGETHER AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE
      -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

# What each room of the engine reads; the same and the schema; the window below its widgets, and
# above; tests of the engine and of the window.
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
      LIBRARIES fmt::fmt tl::expected Qt6::Test
      DEFINITIONS QT_NO_KEYWORDS
      HEADERS ${CANNERY_PRECOMPILED_STD} <fmt/core.h> <tl/expected.hpp> <QTest> <QTemporaryDir>
              <QFile> <QDir>)
    if(CANNERY_WORKBENCH)
      cannery_precompiled(precompiled_window_tests program
        LIBRARIES fmt::fmt tl::expected Qt6::Test Qt6::Widgets
        DEFINITIONS QT_NO_KEYWORDS QT_NO_CAST_TO_ASCII
        HEADERS ${CANNERY_PRECOMPILED_STD} ${CANNERY_PRECOMPILED_QT} ${CANNERY_PRECOMPILED_WIDGETS}
                <fmt/core.h> <tl/expected.hpp> <QSignalSpy> <QTemporaryDir> <QTest>)
    endif()
  endif()
endfunction()
