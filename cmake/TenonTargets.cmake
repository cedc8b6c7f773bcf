# What a folder's CMakeLists.txt is written with: tenon_library, tenon_test and tenon_fuzz.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

add_library(tenon_options INTERFACE)
target_include_directories(tenon_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_compile_options(tenon_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # GCC 12 reports std::string falsely (PR 105329)
                       $<$<BOOL:${TENON_WARNINGS_AS_ERRORS}>:-Werror>)
if(TENON_SANITIZE)
  target_compile_options(tenon_options INTERFACE -fsanitize=${TENON_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(tenon_options INTERFACE -fsanitize=${TENON_SANITIZE})
endif()
if(TENON_FUZZ)
  target_compile_options(tenon_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# tenon_library(gguf SOURCES reader.cpp … DEPENDS type base): library tenon_gguf of folder tenon/gguf.
# DEPENDS are folder names; they are the only other folders that its files may include (scripts/check_includes.py).
# A folder of headers alone has no SOURCES.
function(tenon_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  list(TRANSFORM ARG_DEPENDS PREPEND tenon_)
  if(ARG_SOURCES)
    add_library(tenon_${folder} STATIC ${ARG_SOURCES})
    target_link_libraries(tenon_${folder} PUBLIC $<BUILD_INTERFACE:tenon_options> ${ARG_DEPENDS} PRIVATE ${ARG_LIBRARIES})
  else()
    add_library(tenon_${folder} INTERFACE)
    target_link_libraries(tenon_${folder} INTERFACE $<BUILD_INTERFACE:tenon_options> ${ARG_DEPENDS} ${ARG_LIBRARIES})
  endif()
endfunction()

# tenon_test(gguf SOURCES reader_test.cpp … DEPENDS gguf): one test binary, tenon_gguf_test, with the main function,
# breakers and final checks of tests/support.
function(tenon_test folder)
  if(NOT TENON_DEVELOPER)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_executable(tenon_${folder}_test ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPENDS PREPEND tenon_)
  target_link_libraries(tenon_${folder}_test PRIVATE tenon_options ${ARG_DEPENDS} ${ARG_LIBRARIES} tenon_test_support)
  target_compile_definitions(tenon_${folder}_test PRIVATE TENON_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # Tests do little themselves: to optimise them takes longer than it saves.
  target_compile_options(tenon_${folder}_test PRIVATE $<IF:$<CONFIG:Release>,-O1,-O0>)
  add_test(NAME ${folder} COMMAND tenon_${folder}_test)
endfunction()

# tenon_fuzz(gguf SOURCES gguf_fuzz.cpp … DEPENDS gguf): libFuzzer target tenon_gguf_fuzz (preset fuzz), whose corpus
# lies in tests/fuzz/corpus/gguf.
function(tenon_fuzz name)
  if(NOT TENON_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(tenon_${name}_fuzz ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPENDS PREPEND tenon_)
  target_link_libraries(tenon_${name}_fuzz PRIVATE tenon_options ${ARG_DEPENDS})
  target_link_options(tenon_${name}_fuzz PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers tenon_${name}_fuzz)
endfunction()
